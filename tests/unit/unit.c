/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <stdio.h>
#include <string.h>

enum { UNIT_MEMORY = 64 * 1024 * 1024 };

int add_suite(const char *name, const struct unit_test *tests)
{
	CU_pSuite suite = CU_add_suite(name, NULL, NULL);

	for (; suite && tests->name; tests++) {
		if (!CU_add_test(suite, tests->name, tests->run))
			return (int)CU_get_error();
	}
	return suite ? 0 : (int)CU_get_error();
}

struct arena *unit_arena_begin(struct unit_arena *unit)
{
	budget_init(&unit->budget, UNIT_MEMORY);
	CU_ASSERT(arena_init(&unit->arena, 4096, UNIT_MEMORY, &unit->budget) == 0);
	unit->before = arena_enter(&unit->arena);
	return &unit->arena;
}

void unit_arena_end(struct unit_arena *unit)
{
	arena_enter(unit->before);
	arena_release(&unit->arena);
	CU_ASSERT(budget_used(&unit->budget) == 0);
}

int check_string(const char *actual, const char *expected, const char *file, int line)
{
	if (actual && expected && strcmp(actual, expected) == 0)
		return 1;
	printf("\n    %s:%d: \"%s\" is not \"%s\"\n", file, line, actual ? actual : "(null)",
	       expected ? expected : "(null)");
	return 0;
}

int check_row(int condition, const char *row, const char *file, int line)
{
	if (!condition)
		printf("\n    %s:%d: failed for %s\n", file, line, row);
	return condition;
}
