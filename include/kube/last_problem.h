#ifndef KUBE_LAST_PROBLEM_H
#define KUBE_LAST_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/*
 * What was last told to be wrong, so that nothing is told twice. No I/O; internal to src/kube.
 */

/* Zeroed, nothing was told. */
struct last_problem {
	char told[sizeof(((struct error *)NULL)->message)]; /* "" for nothing */
};

/*
 * Whether a message (NULL: all is well) says something else than the one before, whatever numbers they hold: how long a
 * time-out took, say. Then it counts as told.
 */
bool last_problem_is_news(struct last_problem *last, const char *message);

#endif
