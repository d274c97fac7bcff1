#ifndef NET_BODY_H
#define NET_BODY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/budget.h"

/*
 * A request's body while it arrives: contiguous, NUL-terminated, and taken from the budget as it grows, so that a
 * client who announces much and sends little holds little.
 *
 * Growing by realloc needs no second copy where it matters: the C library moves blocks of this size by mremap(2).
 */

enum body_state {
	BODY_OK,
	BODY_TOO_LARGE, /* over REVIEW_MAX_BODY */
	BODY_NO_BUDGET, /* the budget, or the system's memory, is in use by others */
};

struct body {
	char *data; /* NULL before the first byte */
	size_t len;
	size_t capacity; /* with the NUL: what the budget is charged with */
	struct budget *budget;
};

/* An empty body, which owns nothing. */
void body_init(struct body *body, struct budget *budget);

/* Frees the bytes and gives the budget its own back. */
void body_release(struct body *body);

/*
 * Appends bytes. `announced` is the body's whole length where the client told it, else 0: it keeps the buffer from
 * growing beyond it. When the result is not BODY_OK nothing was appended.
 */
enum body_state body_add(struct body *body, const char *bytes, size_t len, size_t announced);

#endif
