#include "net/heap.h"

#include <malloc.h>
#include <stdatomic.h>

enum { FREED_MAX = 2 * 1024 * 1024 }; /* bytes between two times that memory is given back */

/* As the heap itself, one for the process. */
static atomic_size_t freed;

/*
 * Large blocks go back to the system when they are freed, always: without a fixed threshold the C library raises it
 * after the first of them, and keeps all that comes later. Few arenas (its own, one for some threads) keep less.
 */
void heap_init(void)
{
	mallopt(M_MMAP_THRESHOLD, 128 * 1024);
	mallopt(M_ARENA_MAX, 2);
}

void heap_freed(size_t bytes)
{
	const size_t before = atomic_fetch_add_explicit(&freed, bytes, memory_order_relaxed);

	if (before / FREED_MAX != (before + bytes) / FREED_MAX)
		malloc_trim(0);
}
