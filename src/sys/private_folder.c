/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/private_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/file.h"

enum { TEMPORARY_NAME_MAX = 64 };

int private_folder_open(struct private_folder *folder, const char *path, bool create, struct error *err)
{
	*folder = (struct private_folder){.fd = -1, .path = path};
	if (create && mkdir(path, 0700) < 0 && errno != EEXIST)
		return error_set(err, ERROR_SYSTEM, "%s: can't make the folder: %s", path, strerror(errno));
	folder->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder->fd < 0)
		return error_set(err, ERROR_SYSTEM, "%s: %s", path, strerror(errno));
	return 0;
}

void private_folder_release(struct private_folder *folder)
{
	file_close(&folder->fd);
	folder->fd = -1;
}

/*
 * The temporary's name ends as the file's does, so that whatever ignores "*.key" ignores it too. It is always the
 * same, so that a file which a killed run left is found and removed by the next run.
 */
static const char *temporary_name(char ret_name[TEMPORARY_NAME_MAX], const char *name)
{
	snprintf(ret_name, TEMPORARY_NAME_MAX, ".new.%s", name);
	return ret_name;
}

static int file_failed(const struct private_folder *folder, const char *name, const char *what, struct error *err)
{
	return error_set(err, ERROR_SYSTEM, "%s/%s: %s: %s", folder->path, name, what, strerror(errno));
}

static int check_target(const struct private_folder *folder, const char *name, bool replace, struct error *err)
{
	struct stat status;

	if (fstatat(folder->fd, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : file_failed(folder, name, "can't look at it", err);
	if (S_ISDIR(status.st_mode))
		return error_set(err, ERROR_INVALID, "%s/%s is a folder", folder->path, name);
	if (!replace)
		return error_set(err, ERROR_INVALID, "%s/%s exists", folder->path, name);
	return 0;
}

static int write_all(int fd, const char *bytes, size_t len)
{
	while (len > 0) {
		const ssize_t written = write(fd, bytes, len);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return -1;
		bytes += written;
		len -= (size_t)written;
	}
	return 0;
}

static int stage(const struct private_folder *folder, const struct private_folder_file *file, struct error *err)
{
	char temporary[TEMPORARY_NAME_MAX];
	CLEANUP(file_close) int fd = -1;

	temporary_name(temporary, file->name);
	if (unlinkat(folder->fd, temporary, 0) < 0 && errno != ENOENT)
		return file_failed(folder, temporary, "can't remove an old one", err);
	fd = openat(folder->fd, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return file_failed(folder, temporary, "can't create it", err);
	if (write_all(fd, buf_string(file->content), file->content->len) < 0 || fsync(fd) < 0)
		return file_failed(folder, temporary, "can't write it", err);
	return 0;
}

static int publish(const struct private_folder *folder, const struct private_folder_file *file, struct error *err)
{
	char temporary[TEMPORARY_NAME_MAX];

	if (renameat(folder->fd, temporary_name(temporary, file->name), folder->fd, file->name) < 0)
		return file_failed(folder, file->name, "can't put it in place", err);
	return 0;
}

/* Best effort: the error that led here is the one to report. */
static void remove_staged(const struct private_folder *folder, const struct private_folder_file *files, size_t count)
{
	char temporary[TEMPORARY_NAME_MAX];

	for (size_t i = 0; i < count; i++)
		unlinkat(folder->fd, temporary_name(temporary, files[i].name), 0);
}

static int publish_all(const struct private_folder *folder, const struct private_folder_file *files, size_t count,
		       bool replace, struct error *err)
{
	for (size_t i = 0; i < count; i++) {
		if (publish(folder, &files[i], err) == 0)
			continue;
		while (!replace && i-- > 0)
			unlinkat(folder->fd, files[i].name, 0);
		return -1;
	}
	if (fsync(folder->fd) < 0)
		return error_set(err, ERROR_SYSTEM, "%s: can't flush it to the disk: %s", folder->path,
				 strerror(errno));
	return 0;
}

static int write_locked(const struct private_folder *folder, const struct private_folder_file *files, size_t count,
			bool replace, struct error *err)
{
	int result = 0;

	for (size_t i = 0; i < count; i++) {
		if (check_target(folder, files[i].name, replace, err) < 0)
			return -1;
	}
	for (size_t i = 0; i < count && result == 0; i++)
		result = stage(folder, &files[i], err);
	if (result == 0)
		result = publish_all(folder, files, count, replace, err);
	if (result < 0)
		remove_staged(folder, files, count);
	return result;
}

int private_folder_write(struct private_folder *folder, const struct private_folder_file *files, size_t count,
			 bool replace, struct error *err)
{
	int result;

	/*
	 * Some network file systems cannot lock a folder. There is one writer as a rule, so that is no reason to fail.
	 */
	(void)flock(folder->fd, LOCK_EX);
	result = write_locked(folder, files, count, replace, err);
	(void)flock(folder->fd, LOCK_UN);
	return result;
}

int private_folder_read(struct private_folder *folder, const char *name, struct buf *content, struct error *err)
{
	CLEANUP(file_close) const int fd = openat(folder->fd, name, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return file_failed(folder, name, "can't open it", err);
	if (file_read_descriptor(fd, content) == 0)
		return 0;
	if (errno == EFBIG)
		return error_set(err, ERROR_INVALID, "%s/%s is larger than %zu bytes", folder->path, name,
				 content->max);
	return file_failed(folder, name, "can't read it", err);
}
