/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/last_problem.h"
#include "suites.h"
#include "unit.h"

static void a_problem_is_news_once(void)
{
	struct last_problem last = {0};

	CU_ASSERT(!last_problem_is_news(&last, NULL));
	CU_ASSERT(last_problem_is_news(&last, "no route"));
	CU_ASSERT(!last_problem_is_news(&last, "no route"));
	CU_ASSERT(last_problem_is_news(&last, "no token"));
	CU_ASSERT(last_problem_is_news(&last, "no route"));
}

static void so_is_its_end(void)
{
	struct last_problem last = {0};

	CU_ASSERT(last_problem_is_news(&last, "no route"));
	CU_ASSERT(last_problem_is_news(&last, NULL));
	CU_ASSERT(!last_problem_is_news(&last, NULL));
	CU_ASSERT(last_problem_is_news(&last, "no route"));
}

static void other_numbers_make_no_news(void)
{
	struct last_problem last = {0};

	CU_ASSERT(last_problem_is_news(&last, "timed out after 9998 ms"));
	CU_ASSERT(!last_problem_is_news(&last, "timed out after 10001 ms"));
	CU_ASSERT(last_problem_is_news(&last, "timed out after 10001 s"));
	CU_ASSERT(last_problem_is_news(&last, "timed out after 10001 s, twice"));
}

int add_last_problem_suite(void)
{
	static const struct unit_test tests[] = {
		{"a problem is news once", a_problem_is_news_once},
		{"so is its end", so_is_its_end},
		{"other numbers make no news", other_numbers_make_no_news},
		{NULL, NULL},
	};

	return add_suite("last_problem", tests);
}
