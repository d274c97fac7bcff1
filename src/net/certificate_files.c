/* SPDX-License-Identifier: Apache-2.0 */
#include "net/certificate_files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/compiler.h"
#include "sys/file.h"

enum { PEM_MAX = 256 * 1024 }; /* bytes of one file: chains take some 10 KiB */

/* One of the files is a key, so the buffer is a secret one, which is wiped. */
static int read_pem(const char *path, const char *what, struct buf *pem, struct error *err)
{
	CLEANUP(file_close) const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	buf_init_secret(pem, PEM_MAX - 1);
	if (fd >= 0 && file_read_descriptor(fd, pem) == 0)
		return 0;
	if (errno == EFBIG)
		return error_set(err, ERROR_INVALID, "the %s %s has %d bytes or more", what, path, PEM_MAX);
	return error_set(err, ERROR_SYSTEM, "cannot read the %s %s: %s", what, path, strerror(errno));
}

static struct credentials_pem pem_of(const struct buf *pem, const char *name)
{
	return (struct credentials_pem){.bytes = buf_string(pem), .len = pem->len, .name = name};
}

/* All zeros for a file that stat(2) fails on. */
static struct stat stat_of(const char *path)
{
	struct stat found;

	return stat(path, &found) == 0 ? found : (struct stat){0};
}

int certificate_files_load(struct certificate_files *files, struct credentials **ret_credentials, struct error *err)
{
	CLEANUP(buf_release) struct buf certificate = {0};
	CLEANUP(buf_release) struct buf key = {0};
	struct credentials_pem certificate_pem, key_pem;

	/* Before reading, so that a change in between is noticed the next time. */
	files->certificate_stat = stat_of(files->certificate);
	files->key_stat = stat_of(files->key);
	if (read_pem(files->certificate, "certificate", &certificate, err) < 0 ||
	    read_pem(files->key, "key", &key, err) < 0)
		return -1;
	certificate_pem = pem_of(&certificate, files->certificate);
	key_pem = pem_of(&key, files->key);
	return credentials_new(&certificate_pem, &key_pem, ret_credentials, err);
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

bool certificate_files_changed(const struct certificate_files *files)
{
	const struct stat certificate = stat_of(files->certificate);
	const struct stat key = stat_of(files->key);

	return !is_same_file(&certificate, &files->certificate_stat) || !is_same_file(&key, &files->key_stat);
}

void certificate_files_forget(struct certificate_files *files)
{
	files->certificate_stat = (struct stat){0};
}
