/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUF_FIRST_CAPACITY = 256 };

void buf_init(struct buf *buf, size_t max)
{
	*buf = (struct buf){.max = max};
}

void buf_init_secret(struct buf *buf, size_t max)
{
	*buf = (struct buf){.max = max, .secret = true};
}

static void free_data(struct buf *buf)
{
	if (buf->secret && buf->data)
		explicit_bzero(buf->data, buf->capacity);
	free(buf->data);
}

void buf_release(struct buf *buf)
{
	free_data(buf);
	*buf = (struct buf){.max = buf->max, .secret = buf->secret};
}

/* realloc may leave a copy of a secret in freed memory, so a secret is moved by hand. */
static char *resize(struct buf *buf, size_t capacity)
{
	char *data;

	if (!buf->secret)
		return realloc(buf->data, capacity);
	data = malloc(capacity);
	if (!data)
		return NULL;
	if (buf->data)
		memcpy(data, buf->data, buf->len + 1);
	free_data(buf);
	return data;
}

/* Makes room for len more bytes and the NUL. */
static bool buf_reserve(struct buf *buf, size_t len)
{
	size_t capacity = buf->capacity ? buf->capacity : BUF_FIRST_CAPACITY;
	char *data;

	if (buf->failed)
		return false;
	if (len > buf->max - buf->len) {
		buf->failed = true;
		return false;
	}
	if (buf->data && len < buf->capacity - buf->len)
		return true;
	while (capacity - buf->len <= len)
		capacity *= 2;
	if (capacity > buf->max + 1)
		capacity = buf->max + 1;
	data = resize(buf, capacity);
	if (!data) {
		buf->failed = true;
		return false;
	}
	buf->data = data;
	buf->capacity = capacity;
	return true;
}

void buf_add(struct buf *buf, const void *bytes, size_t len)
{
	if (!buf_reserve(buf, len))
		return;
	if (len)
		memcpy(buf->data + buf->len, bytes, len);
	buf->len += len;
	buf->data[buf->len] = '\0';
}

void buf_add_string(struct buf *buf, const char *string)
{
	buf_add(buf, string, strlen(string));
}

void buf_addf(struct buf *buf, const char *format, ...)
{
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (len < 0) {
		buf->failed = true;
		return;
	}
	if (!buf_reserve(buf, (size_t)len))
		return;
	va_start(args, format);
	vsnprintf(buf->data + buf->len, (size_t)len + 1, format, args);
	va_end(args);
	buf->len += (size_t)len;
}

const char *buf_string(const struct buf *buf)
{
	return buf->data ? buf->data : "";
}
