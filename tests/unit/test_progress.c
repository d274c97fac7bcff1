/* SPDX-License-Identifier: Apache-2.0 */
#include "base/compiler.h"
#include "suites.h"
#include "unit.h"
#include "wait/progress.h"

static void a_line_is_due_at_changes_and_every_thirty_seconds(void)
{
	static const struct {
		size_t resolved;
		bool round_over;
		uint64_t now;
		bool due;
	} rows[] = {
		{0, false, 1000, false}, /* not known yet */
		{0, true, 2000, true},   {0, true, 31999, false}, {0, true, 32000, true},  {0, true, 32001, false},
		{3, true, 32002, true},  {3, true, 62001, false}, {3, false, 62002, true},
	};
	struct progress progress = {.at = 500};

	CU_ASSERT(progress_next(&progress) == 30500);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		CU_ASSERT(progress_is_due(&progress, rows[i].resolved, rows[i].round_over, rows[i].now) == rows[i].due);
	CU_ASSERT(progress_next(&progress) == 92002);
}

int add_progress_suite(void)
{
	static const struct unit_test tests[] = {
		{"a line is due at changes and every thirty seconds",
		 a_line_is_due_at_changes_and_every_thirty_seconds},
		{NULL, NULL},
	};

	return add_suite("progress", tests);
}
