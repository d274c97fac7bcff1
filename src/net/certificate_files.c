#include "net/certificate_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"

enum { PEM_MAX = 256 * 1024 }; /* bytes of one file: chains take some 10 KiB */

/* A file's bytes, wiped when they go: one of them is a key. */
struct secret {
	unsigned char *bytes;
	size_t len;
};

static void secret_release(struct secret *secret)
{
	if (secret->bytes)
		explicit_bzero(secret->bytes, PEM_MAX);
	free(secret->bytes);
	*secret = (struct secret){0};
}

static void close_fd(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static int read_secret(const char *path, const char *what, struct secret *secret, struct error *err)
{
	CLEANUP(close_fd) const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return error_set(err, ERROR_SYSTEM, "cannot read the %s %s: %s", what, path, strerror(errno));
	secret->bytes = malloc(PEM_MAX);
	if (!secret->bytes)
		return error_set(err, ERROR_NO_MEMORY, "no memory to read the %s %s", what, path);
	for (;;) {
		ssize_t got = read(fd, secret->bytes + secret->len, PEM_MAX - secret->len);

		if (got < 0)
			return error_set(err, ERROR_SYSTEM, "cannot read the %s %s: %s", what, path, strerror(errno));
		if (got == 0)
			return 0;
		secret->len += (size_t)got;
		if (secret->len == PEM_MAX)
			return error_set(err, ERROR_INVALID, "the %s %s has %d bytes or more", what, path, PEM_MAX);
	}
}

static struct credentials_pem pem_of(const struct secret *secret, const char *name)
{
	return (struct credentials_pem){.bytes = secret->bytes, .len = secret->len, .name = name};
}

/* A file that can't be looked at is all zeros. */
static struct stat stat_of(const char *path)
{
	struct stat found;

	return stat(path, &found) == 0 ? found : (struct stat){0};
}

int certificate_files_load(struct certificate_files *files, struct credentials **ret, struct error *err)
{
	CLEANUP(secret_release) struct secret certificate = {0};
	CLEANUP(secret_release) struct secret key = {0};
	struct credentials_pem certificate_pem, key_pem;

	/* Before reading: what changes in between is then another file at the next look. */
	files->certificate_stat = stat_of(files->certificate);
	files->key_stat = stat_of(files->key);
	if (read_secret(files->certificate, "certificate", &certificate, err) < 0 ||
	    read_secret(files->key, "key", &key, err) < 0)
		return -1;
	certificate_pem = pem_of(&certificate, files->certificate);
	key_pem = pem_of(&key, files->key);
	return credentials_new(&certificate_pem, &key_pem, ret, err);
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
