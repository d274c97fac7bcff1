/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

#include "base/budget.h"
#include "base/compiler.h"

/*
 * The memory of one review: an allocation moves a pointer, nothing is freed separately, and arena_reset frees it all.
 *
 * An arena starts with a first block that it keeps for life, and grows by blocks that it takes from a budget and gives
 * back at the reset. When it may not grow, allocations return NULL and `state` says why until the reset. One failed
 * allocation fails the review, so code may pass NULL results on, as cJSON's functions allow, and check the state once,
 * at the end.
 *
 * An arena belongs to one thread at a time; budgets are shared.
 */

enum arena_state {
	ARENA_OK,
	ARENA_OVER_MAX,  /* this review by itself asks for more than an arena may hold */
	ARENA_NO_BUDGET, /* others hold the budget, or the system has no memory: the same review may pass later */
};

struct arena_block; /* private */

struct arena {
	char *next;                /* first free byte of the block in use */
	size_t left;               /* bytes free in it */
	struct arena_block *grown; /* blocks beyond the first, newest first */
	size_t size;               /* bytes of all blocks */
	size_t max;                /* bytes that all blocks together may take */
	char *first;
	size_t first_size;
	bool owns_first;
	struct budget *budget; /* NULL: the arena never grows */
	enum arena_state state;
};

/*
 * An arena that grows from first_size up to max bytes, all taken from the budget, which must outlive it. Returns -1 if
 * there is no memory for the first block; arena_release is still allowed then.
 */
MUST_CHECK int arena_init(struct arena *arena, size_t first_size, size_t max, struct budget *budget);

/* An arena that uses only the caller's memory and never grows. Needs no release. */
void arena_init_fixed(struct arena *arena, void *memory, size_t size);

/* Gives all memory back. Takes an arena whose arena_init failed. */
void arena_release(struct arena *arena);

/* Frees every allocation, gives grown blocks back, and clears the state. */
void arena_reset(struct arena *arena);

/* Memory aligned for any object, not cleared, or NULL (see above). A size of 0 is allowed. */
void *arena_alloc(struct arena *arena, size_t size);

/* An array of count elements, cleared, or NULL. */
void *arena_calloc(struct arena *arena, size_t count, size_t size);

/* Shrinks the newest allocation from `size` to `kept` bytes. Any other allocation is left as it is. */
void arena_trim(struct arena *arena, void *memory, size_t size, size_t kept);

/* Copies as C strings, or NULL. */
char *arena_strndup(struct arena *arena, const char *string, size_t len);
char *arena_printf(struct arena *arena, const char *format, ...) PRINTF_LIKE(2, 3);

/*
 * Makes cJSON allocate from the arena that the calling thread has entered, and free nothing. Call it once, at the start
 * of the process, before any other thread runs. In a thread that has not entered an arena, cJSON gets no memory.
 */
void arena_hook_cjson(void);

/* Makes the arena this thread's current one (NULL: none) and returns the one before it, to enter again at the end. */
struct arena *arena_enter(struct arena *arena);

#endif
