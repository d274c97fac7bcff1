/* SPDX-License-Identifier: Apache-2.0 */
#include "net/arenas.h"

#include <stdlib.h>

#include "core/limits.h"

enum { FIRST_SIZE = 64 * 1024 }; /* most reviews need no more */

int arenas_init(struct arenas *arenas, size_t count, struct budget *budget, struct error *err)
{
	if (count * FIRST_SIZE + REVIEW_MAX_BODY > budget->limit / 2)
		return error_set(err, ERROR_USAGE,
				 "%zu threads leave no memory for the largest review: each takes %d KiB", count,
				 FIRST_SIZE / 1024);
	*arenas = (struct arenas){.slots = calloc(count, sizeof(*arenas->slots))};
	for (; arenas->slots && arenas->count < count; arenas->count++) {
		struct arenas_slot *slot = &arenas->slots[arenas->count];

		if (arena_init(&slot->arena, FIRST_SIZE, REVIEW_ARENA_MAX(budget->limit), budget) < 0)
			break;
		atomic_flag_clear(&slot->in_use);
	}
	if (arenas->slots && arenas->count == count)
		return 0;
	arenas_release(arenas);
	return error_set(err, ERROR_NO_MEMORY, "no memory for %zu threads: each needs %d KiB", count,
			 FIRST_SIZE / 1024);
}

void arenas_release(struct arenas *arenas)
{
	for (size_t i = 0; i < arenas->count; i++)
		arena_release(&arenas->slots[i].arena);
	free(arenas->slots);
	*arenas = (struct arenas){0};
}

struct arena *arenas_borrow(struct arenas *arenas)
{
	for (size_t i = 0; i < arenas->count; i++) {
		if (!atomic_flag_test_and_set_explicit(&arenas->slots[i].in_use, memory_order_acquire))
			return &arenas->slots[i].arena;
	}
	return NULL;
}

void arenas_give_back(struct arenas *arenas, struct arena *arena)
{
	arena_reset(arena);
	for (size_t i = 0; i < arenas->count; i++) {
		if (&arenas->slots[i].arena == arena)
			atomic_flag_clear_explicit(&arenas->slots[i].in_use, memory_order_release);
	}
}
