/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "suites.h"
#include "unit.h"

enum { MIB = 1024 * 1024 };

static void allocations_are_aligned_and_apart(void)
{
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);
	char *last = NULL;

	for (size_t size = 0; size < 300; size++) {
		char *memory = arena_alloc(arena, size);

		CU_ASSERT(memory != NULL);
		CU_ASSERT((uintptr_t)memory % _Alignof(max_align_t) == 0);
		CU_ASSERT(memory != last || size <= 1);
		if (memory)
			memset(memory, 0x5A, size);
		last = memory;
	}
	unit_arena_end(&unit);
}

static void the_newest_allocation_gives_back_what_it_does_not_need(void)
{
	char memory[256];
	struct arena arena;
	char *old;
	char *newest;

	arena_init_fixed(&arena, memory, sizeof(memory));
	old = arena_alloc(&arena, 16);
	newest = arena_alloc(&arena, 100);
	arena_trim(&arena, old, 16, 0);
	CU_ASSERT(arena_alloc(&arena, 0) == newest + 112);
	newest = arena_alloc(&arena, 50);
	arena_trim(&arena, newest, 50, 17);
	CU_ASSERT(arena_alloc(&arena, 1) == newest + 32);
	newest = arena_alloc(&arena, 5);
	arena_trim(&arena, newest, 5, 5);
	CU_ASSERT(arena_alloc(&arena, 1) == newest + 16);
}

static void a_text_is_where_it_fits_whatever_the_size_of_the_block(void)
{
	struct budget budget;
	struct arena arena;
	char text[64];

	budget_init(&budget, 8 * MIB);
	for (size_t size = 992; size < 1008; size++) {
		for (size_t left = 0; left < 48; left += 16) {
			CU_ASSERT(arena_init(&arena, size, 8 * MIB, &budget) == 0);
			(void)arena_alloc(&arena, 992 - left);
			snprintf(text, sizeof(text), "%zu leaves a little: %zu", size, left);
			for (size_t len = strlen(text); len > 0; text[--len] = '\0')
				CHECK_STRING(arena_printf(&arena, "%s", text), text);
			arena_release(&arena);
		}
	}
}

static void growth_is_taken_from_the_budget_and_given_back_at_reset(void)
{
	struct budget budget;
	struct arena arena;

	budget_init(&budget, 8 * MIB);
	CU_ASSERT(arena_init(&arena, 4096, 8 * MIB, &budget) == 0);
	CU_ASSERT(budget_used(&budget) == 4096);
	CU_ASSERT(arena_alloc(&arena, 3 * MIB) != NULL);
	CU_ASSERT(budget_used(&budget) > 3 * MIB);
	arena_reset(&arena);
	CU_ASSERT(budget_used(&budget) == 4096);
	arena_release(&arena);
	CU_ASSERT(budget_used(&budget) == 0);
}

static void a_review_over_its_maximum_differs_from_a_budget_that_others_hold(void)
{
	struct budget budget;
	struct arena one;
	struct arena other;

	budget_init(&budget, 4 * MIB);
	CU_ASSERT(arena_init(&one, 4096, 3 * MIB, &budget) == 0);
	CU_ASSERT(arena_init(&other, 4096, 3 * MIB, &budget) == 0);
	CU_ASSERT(arena_alloc(&one, 5 * MIB) == NULL);
	CU_ASSERT(one.state == ARENA_OVER_MAX);
	CU_ASSERT(arena_alloc(&one, 1) == NULL); /* failure stays until the reset */
	arena_reset(&one);
	CU_ASSERT(arena_alloc(&one, 2 * MIB) != NULL);
	CU_ASSERT(arena_alloc(&other, 2 * MIB) == NULL);
	CU_ASSERT(other.state == ARENA_NO_BUDGET);
	arena_release(&one);
	arena_release(&other);
	CU_ASSERT(budget_used(&budget) == 0);
}

static void an_arena_that_finds_no_first_block_may_be_released(void)
{
	struct budget budget;
	struct arena arena;

	budget_init(&budget, 100);
	CU_ASSERT(arena_init(&arena, 4096, MIB, &budget) < 0);
	arena_release(&arena);
	CU_ASSERT(budget_used(&budget) == 0);
}

static void a_fixed_arena_never_grows(void)
{
	char memory[1000];
	struct arena arena;

	arena_init_fixed(&arena, memory + 1, sizeof(memory) - 1);
	CU_ASSERT(arena_alloc(&arena, 900) != NULL);
	CU_ASSERT(arena_alloc(&arena, 900) == NULL);
	CU_ASSERT(arena.state == ARENA_OVER_MAX);
	arena_reset(&arena);
	CU_ASSERT(arena_alloc(&arena, 900) != NULL);
}

static void sizes_that_overflow_fail_cleanly(void)
{
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);

	CU_ASSERT(arena_alloc(arena, SIZE_MAX) == NULL);
	arena_reset(arena);
	CU_ASSERT(arena_calloc(arena, SIZE_MAX / 2, 4) == NULL);
	unit_arena_end(&unit);
}

static void cjson_allocates_only_from_the_entered_arena(void)
{
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);
	const char *before = arena->next;

	CU_ASSERT(cJSON_CreateObject() != NULL);
	CU_ASSERT(arena->next > before);
	arena_enter(NULL);
	CU_ASSERT(cJSON_CreateObject() == NULL);
	unit_arena_end(&unit);
}

int add_arena_suite(void)
{
	static const struct unit_test tests[] = {
		{"allocations are aligned and apart", allocations_are_aligned_and_apart},
		{"the newest allocation gives back what it does not need",
		 the_newest_allocation_gives_back_what_it_does_not_need},
		{"a text is where it fits, whatever the size of the block",
		 a_text_is_where_it_fits_whatever_the_size_of_the_block},
		{"growth is taken from the budget and given back at reset",
		 growth_is_taken_from_the_budget_and_given_back_at_reset},
		{"a review over its maximum differs from a budget that others hold",
		 a_review_over_its_maximum_differs_from_a_budget_that_others_hold},
		{"an arena that finds no first block may be released",
		 an_arena_that_finds_no_first_block_may_be_released},
		{"a fixed arena never grows", a_fixed_arena_never_grows},
		{"sizes that overflow fail cleanly", sizes_that_overflow_fail_cleanly},
		{"cJSON allocates only from the entered arena", cjson_allocates_only_from_the_entered_arena},
		{NULL, NULL},
	};

	return add_suite("arena", tests);
}
