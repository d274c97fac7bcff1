#include "sys/heap.h"

#include <malloc.h>
#include <stdatomic.h>

enum {
	FREED_MAX = 2 * 1024 * 1024, /* bytes between two times that memory is given back */
	LARGE = 512 * 1024,          /* bytes that the answer to the largest group does not reach */
	KEPT = 2 * 1024 * 1024,      /* bytes that stay, as the next large answer would only ask for them again */
};

/* As the heap itself, one for the process. */
static atomic_size_t freed;

/*
 * Large blocks go back to the system when they are freed, always: without a fixed threshold the C library raises it
 * after the first of them, and keeps all that comes later. Below it, the system would have to find and clear the same
 * pages for each answer to a large group: 40 % of its time. Few arenas (its own, one for some threads) keep less.
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
