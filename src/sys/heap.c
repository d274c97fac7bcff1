/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/heap.h"

#include <malloc.h>
#include <stdatomic.h>

enum {
	FREED_MAX = 2 * 1024 * 1024, /* bytes to be freed before memory is given back again */
	LARGE = 512 * 1024,          /* bytes: above the answer to the largest group */
	KEPT = 2 * 1024 * 1024,      /* bytes that are kept, because the next large answer would need them again */
};

/* One for the process, like the heap itself. */
static atomic_size_t freed;

/*
 * Large blocks always go back to the system when they are freed. Without a fixed threshold the C library raises it
 * after the first of them, and keeps all later ones. With a lower threshold, the system would have to find and clear
 * the same pages for each answer to a large group, which took 40 % of the time. Fewer malloc arenas hold on to less
 * memory.
 */
void heap_init(void)
{
	mallopt(M_MMAP_THRESHOLD, LARGE);
	mallopt(M_TRIM_THRESHOLD, KEPT);
	mallopt(M_ARENA_MAX, 2);
}

void heap_started(void)
{
	malloc_trim(0);
}

void heap_freed(size_t bytes)
{
	const size_t before = atomic_fetch_add_explicit(&freed, bytes, memory_order_relaxed);

	if (before / FREED_MAX != (before + bytes) / FREED_MAX)
		malloc_trim(0);
}
