/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"

/*
 * A growing byte buffer on the heap. It is created with its maximum size and never exceeds it.
 *
 * Failure is sticky: after an add that did not fit (or found no memory) the buffer holds what it held before, `failed`
 * is set, and every later add does nothing, so that a series of adds is checked once, at its end.
 *
 * A buffer that was initialised and not added to owns nothing. Not thread-safe.
 */

struct buf {
	char *data; /* NUL-terminated if len > 0; NULL before the first add */
	size_t len; /* bytes, without the NUL */
	size_t capacity;
	size_t max; /* the largest len allowed */
	bool failed;
	bool secret; /* memory is overwritten before it is freed, also when the buffer grows */
};

void buf_init(struct buf *buf, size_t max);
void buf_init_secret(struct buf *buf, size_t max);

/* Frees what the buffer owns and leaves it as it was after the init. */
void buf_release(struct buf *buf);

void buf_add(struct buf *buf, const void *bytes, size_t len);
void buf_add_string(struct buf *buf, const char *string);
void buf_addf(struct buf *buf, const char *format, ...) PRINTF_LIKE(2, 3);

/* The content as a C string, "" when empty; borrowed until the next add. */
const char *buf_string(const struct buf *buf);

#endif
