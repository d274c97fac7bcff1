/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_LAST_PROBLEM_H
#define KUBE_LAST_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/*
 * Remembers the last problem that was reported, so that it is not reported again. No I/O.
 */

/* Zeroed: nothing was reported. */
struct last_problem {
	char reported[sizeof(((struct error *)NULL)->message)]; /* "" for nothing */
};

/*
 * Whether a message (NULL: all is well) differs from the last one, apart from numbers such as the length of a time-out.
 * If so, it counts as reported from now on.
 */
bool last_problem_is_news(struct last_problem *last, const char *message);

#endif
