/* SPDX-License-Identifier: Apache-2.0 */
#include "net/arenas.h"
#include "suites.h"
#include "unit.h"

enum { MIB = 1024 * 1024 };

static void each_arena_is_lent_once(void)
{
	struct arena *first, *second;
	struct budget budget;
	struct arenas arenas;
	struct error err;

	budget_init(&budget, (size_t)32 * MIB);
	CU_ASSERT(arenas_init(&arenas, 2, &budget, &err) == 0);
	first = arenas_borrow(&arenas);
	second = arenas_borrow(&arenas);
	CU_ASSERT(first && second && first != second);
	CU_ASSERT(arenas_borrow(&arenas) == NULL);
	arenas_give_back(&arenas, second);
	CU_ASSERT(arenas_borrow(&arenas) == second);
	arenas_give_back(&arenas, first);
	arenas_give_back(&arenas, second);
	arenas_release(&arenas);
	CU_ASSERT(budget_used(&budget) == 0);
}

static void an_arena_that_comes_back_is_reset(void)
{
	struct budget budget;
	struct arenas arenas;
	struct arena *arena;
	struct error err;
	size_t fresh;

	budget_init(&budget, (size_t)32 * MIB);
	CU_ASSERT(arenas_init(&arenas, 1, &budget, &err) == 0);
	fresh = budget_used(&budget);
	arena = arenas_borrow(&arenas);
	CU_ASSERT(arena && arena_alloc(arena, MIB) != NULL);
	CU_ASSERT(budget_used(&budget) > fresh);
	arenas_give_back(&arenas, arena);
	CU_ASSERT(budget_used(&budget) == fresh);
	arenas_release(&arenas);
}

static void threads_must_leave_memory_for_the_largest_review(void)
{
	struct budget budget;
	struct arenas arenas;
	struct error err;

	budget_init(&budget, (size_t)16 * MIB);
	CU_ASSERT(arenas_init(&arenas, 16, &budget, &err) == 0);
	arenas_release(&arenas);
	CU_ASSERT(arenas_init(&arenas, 17, &budget, &err) < 0);
	CU_ASSERT(err.code == ERROR_USAGE);
	CU_ASSERT(budget_used(&budget) == 0);
}

int add_arenas_suite(void)
{
	static const struct unit_test tests[] = {
		{"each arena is lent once", each_arena_is_lent_once},
		{"an arena that comes back is reset", an_arena_that_comes_back_is_reset},
		{"threads must leave memory for the largest review", threads_must_leave_memory_for_the_largest_review},
		{NULL, NULL},
	};

	return add_suite("arenas", tests);
}
