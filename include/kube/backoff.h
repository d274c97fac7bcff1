#ifndef KUBE_BACKOFF_H
#define KUBE_BACKOFF_H

#include <stdbool.h>

/*
 * Delays between tries that fail: each twice as long as the one before, up to a cap, and each cut by up to a half at
 * random, so that replicas which failed together do not come back together. Pure: the random number is the caller's.
 */

struct backoff {
	unsigned base, cap; /* milliseconds; base is 1 or more */
	unsigned failures;  /* in a row */
};

/* Counts a failure and returns the milliseconds to wait before the next try. `random` is any number. */
unsigned backoff_next(struct backoff *backoff, unsigned random);

/*
 * The same for what is expected to end in its time, as a watch is: the first end in order costs no time. More of them
 * without a reset between do: who ends a watch at once might do so for ever.
 */
unsigned backoff_after_end(struct backoff *backoff, bool in_order, unsigned random);

/* After a success: the next failure is the first again. */
void backoff_reset(struct backoff *backoff);

#endif
