/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK = 16 * 1024 };

void file_close(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static int read_chunks(int fd, char *chunk, struct buf *content)
{
	ssize_t len;

	while ((len = read(fd, chunk, CHUNK)) != 0) {
		if (len < 0 && errno != EINTR)
			return -1;
		if (len > 0)
			buf_add(content, chunk, (size_t)len);
		if (content->failed) {
			errno = EFBIG;
			return -1;
		}
	}
	return 0;
}

int file_read_descriptor(int fd, struct buf *content)
{
	char chunk[CHUNK];
	const int result = read_chunks(fd, chunk, content);

	explicit_bzero(chunk, sizeof(chunk));
	return result;
}

int file_read(const char *path, struct buf *content, struct error *err)
{
	CLEANUP(file_close) const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd >= 0 && file_read_descriptor(fd, content) == 0)
		return 0;
	if (errno == EFBIG)
		return error_set(err, ERROR_INVALID, "%s has more than %zu bytes", path, content->max);
	return error_set(err, ERROR_SYSTEM, "cannot read %s: %s", path, strerror(errno));
}
