#include "sys/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static void close_fd(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static int read_chunks(int fd, char *chunk, size_t size, struct buf *content)
{
	ssize_t len;

	while ((len = read(fd, chunk, size)) != 0) {
		if (len < 0 && errno != EINTR)
			return -1;
		if (len > 0)
			buf_add(content, chunk, (size_t)len);
		if (content->failed)
			return 0;
	}
	return 0;
}

int file_read(const char *path, struct buf *content, struct error *err)
{
	const int fd CLEANUP(close_fd) = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	char chunk[4096];
	int result = fd < 0 ? -1 : read_chunks(fd, chunk, sizeof(chunk), content);
	int reason = errno;

	explicit_bzero(chunk, sizeof(chunk));
	if (result < 0)
		return error_set(err, ERROR_SYSTEM, "cannot read %s: %s", path, strerror(reason));
	if (content->failed)
		return error_set(err, ERROR_INVALID, "%s has more than %zu bytes", path, content->max);
	return 0;
}
