/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WAIT_PROGRESS_H
#define WAIT_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * When `wait` prints how many peers have resolved: whenever the number changed, and every 30 seconds. It keeps no clock
 * of its own. Not thread-safe.
 */

/* Starts with only `at`, the time of the start. */
struct progress {
	bool reported;
	size_t resolved; /* as last reported */
	uint64_t at;     /* milliseconds, when that was */
};

/* Milliseconds, on the clock of `at`, when a line is due even if nothing changes. */
uint64_t progress_next(const struct progress *progress);

/* Returns true if a line is due, which then counts as reported. `round_over`: the number is final for a round. */
bool progress_is_due(struct progress *progress, size_t resolved, bool round_over, uint64_t now);

#endif
