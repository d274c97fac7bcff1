/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_BACKOFF_H
#define KUBE_BACKOFF_H

#include <stdbool.h>

/*
 * Delays between failing attempts: each is twice as long as the one before, up to a cap, and then shortened by up to
 * half at random, so that replicas that failed together do not retry together. Pure: the random number is the caller's.
 */

struct backoff {
	unsigned base, cap; /* milliseconds; base is 1 or more */
	unsigned failures;  /* in a row */
};

/* Counts a failure and returns the milliseconds to wait before the next attempt. `random` is any number. */
unsigned backoff_next(struct backoff *backoff, unsigned random);

/*
 * The same for something that is expected to end regularly, like a watch: the first regular end causes no delay.
 * Further ones without a reset in between do, since a server that ends a watch at once might do so forever.
 */
unsigned backoff_after_end(struct backoff *backoff, bool in_order, unsigned random);

/* After a success: the next failure counts as the first. */
void backoff_reset(struct backoff *backoff);

#endif
