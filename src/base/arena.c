/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include <stdarg.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

enum { ARENA_GROWTH = 256 * 1024 }; /* bytes: less is not worth asking for */

struct arena_block {
	struct arena_block *older;
	size_t size; /* of the whole block, with this header */
	alignas(max_align_t) char bytes[];
};

static _Thread_local struct arena *current;

int arena_init(struct arena *arena, size_t first_size, size_t max, struct budget *budget)
{
	*arena = (struct arena){.max = max, .budget = budget};
	if (first_size > max || !budget_take(budget, first_size))
		return -1;
	arena->first = malloc(first_size);
	if (!arena->first) {
		budget_give(budget, first_size);
		return -1;
	}
	arena->first_size = first_size;
	arena->owns_first = true;
	arena_reset(arena);
	return 0;
}

void arena_init_fixed(struct arena *arena, void *memory, size_t size)
{
	size_t skip = (size_t)(-(uintptr_t)memory % alignof(max_align_t));

	if (skip > size)
		skip = size;
	*arena = (struct arena){.max = size - skip, .first = (char *)memory + skip, .first_size = size - skip};
	arena_reset(arena);
}

static void arena_free_grown(struct arena *arena)
{
	while (arena->grown) {
		struct arena_block *block = arena->grown;

		arena->grown = block->older;
		budget_give(arena->budget, block->size);
		free(block);
	}
}

void arena_release(struct arena *arena)
{
	arena_free_grown(arena);
	if (arena->owns_first) {
		free(arena->first);
		budget_give(arena->budget, arena->first_size);
	}
	*arena = (struct arena){0};
}

void arena_reset(struct arena *arena)
{
	arena_free_grown(arena);
	arena->next = arena->first;
	arena->left = arena->first_size;
	arena->size = arena->first_size;
	arena->state = ARENA_OK;
}

/* Starts a block that holds `size` bytes. What is left of the current block stays unused. */
static bool arena_grow(struct arena *arena, size_t size)
{
	size_t block_size = sizeof(struct arena_block) + size;
	struct arena_block *block;

	if (block_size < ARENA_GROWTH)
		block_size = ARENA_GROWTH;
	if (!arena->budget || size > arena->max || block_size > arena->max - arena->size) {
		arena->state = ARENA_OVER_MAX;
		return false;
	}
	if (!budget_take(arena->budget, block_size)) {
		arena->state = ARENA_NO_BUDGET;
		return false;
	}
	block = malloc(block_size);
	if (!block) {
		budget_give(arena->budget, block_size);
		arena->state = ARENA_NO_BUDGET;
		return false;
	}
	block->older = arena->grown;
	block->size = block_size;
	arena->grown = block;
	arena->size += block_size;
	arena->next = block->bytes;
	arena->left = block_size - sizeof(*block);
	return true;
}

static size_t align_up(size_t size)
{
	const size_t align = alignof(max_align_t);

	return (size + align - 1) / align * align;
}

void *arena_alloc(struct arena *arena, size_t size)
{
	void *memory;

	if (arena->state != ARENA_OK)
		return NULL;
	if (size > SIZE_MAX - alignof(max_align_t)) {
		arena->state = ARENA_OVER_MAX;
		return NULL;
	}
	size = align_up(size);
	if (size > arena->left && !arena_grow(arena, size))
		return NULL;
	memory = arena->next;
	arena->next += size;
	arena->left -= size;
	return memory;
}

void arena_trim(struct arena *arena, void *memory, size_t size, size_t kept)
{
	const size_t spare = align_up(size) - align_up(kept);

	if ((char *)memory + align_up(size) != arena->next)
		return;
	arena->next -= spare;
	arena->left += spare;
}

void *arena_calloc(struct arena *arena, size_t count, size_t size)
{
	void *memory;

	if (size && count > SIZE_MAX / size) {
		arena->state = ARENA_OVER_MAX;
		return NULL;
	}
	memory = arena_alloc(arena, count * size);
	if (memory)
		memset(memory, 0, count * size);
	return memory;
}

char *arena_strndup(struct arena *arena, const char *string, size_t len)
{
	char *copy = arena_alloc(arena, len + 1);

	if (copy) {
		memcpy(copy, string, len);
		copy[len] = '\0';
	}
	return copy;
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
	char *at = arena->next;
	const size_t room = arena->left;
	char *text = NULL;
	va_list args;
	int len;

	/* Written where the next allocation will start: if it fits, it is in place already. */
	va_start(args, format);
	len = vsnprintf(at, room, format, args);
	va_end(args);
	if (len >= 0)
		text = arena_alloc(arena, (size_t)len + 1);
	if (text && (text != at || (size_t)len >= room)) {
		va_start(args, format);
		vsnprintf(text, (size_t)len + 1, format, args);
		va_end(args);
	}
	return text;
}

static void *hook_alloc(size_t size)
{
	return current ? arena_alloc(current, size) : NULL;
}

static void hook_free(void *memory)
{
	(void)memory;
}

void arena_hook_cjson(void)
{
	cJSON_Hooks hooks = {.malloc_fn = hook_alloc, .free_fn = hook_free};

	cJSON_InitHooks(&hooks);
}

struct arena *arena_enter(struct arena *arena)
{
	struct arena *before = current;

	current = arena;
	return before;
}
