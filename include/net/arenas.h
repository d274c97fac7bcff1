/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NET_ARENAS_H
#define NET_ARENAS_H

#include <stdatomic.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/budget.h"
#include "base/error.h"

/*
 * Arenas that threads borrow for the time of a review. There are as many as threads, so that one is always free.
 * Borrowing is thread-safe and takes no lock.
 */

struct arenas_slot {
	atomic_flag in_use;
	struct arena arena;
};

struct arenas {
	struct arenas_slot *slots;
	size_t count;
};

/*
 * Makes `count` arenas. Their first blocks are taken from the budget, and each may grow to REVIEW_ARENA_MAX of its
 * limit. The first blocks and the largest body must fit in half of the budget, as connections may take the other half:
 * else ERROR_USAGE. On failure there is nothing to release.
 */
MUST_CHECK int arenas_init(struct arenas *arenas, size_t count, struct budget *budget, struct error *err);

/* All must have been given back. */
void arenas_release(struct arenas *arenas);

/* A fresh arena for the calling thread. NULL if more than `count` threads ask at once. */
struct arena *arenas_borrow(struct arenas *arenas);

/* Resets the arena and gives it back. */
void arenas_give_back(struct arenas *arenas, struct arena *arena);

#endif
