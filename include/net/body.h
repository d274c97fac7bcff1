/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NET_BODY_H
#define NET_BODY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/budget.h"

/*
 * A request's body while it arrives: contiguous, NUL-terminated, and taken from the budget as it grows, so that a
 * client that announces much and sends little holds little. A body is used by one thread.
 *
 * Growing by realloc makes no second copy of a large body: the C library moves blocks of that size with mremap(2).
 */

enum body_state {
	BODY_OK,
	BODY_TOO_LARGE, /* over REVIEW_MAX_BODY */
	BODY_NO_BUDGET, /* others use up the budget or the system's memory */
};

struct body {
	char *data; /* NULL before the first byte */
	size_t len;
	size_t capacity; /* including the NUL; charged to the budget */
	struct budget *budget;
};

/* An empty body, which owns nothing. */
void body_init(struct body *body, struct budget *budget);

/* Frees the bytes and gives them back to the budget. The body is then empty. */
void body_release(struct body *body);

/*
 * Appends bytes. `announced` is the length of the whole body if the client sent it, else 0: the buffer does not grow
 * beyond it. Unless the result is BODY_OK, nothing was appended.
 */
enum body_state body_add(struct body *body, const char *bytes, size_t len, size_t announced);

#endif
