/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdint.h>

#include "base/budget.h"
#include "suites.h"
#include "unit.h"

static void it_gives_up_to_its_limit_and_no_byte_more(void)
{
	struct budget budget;

	budget_init(&budget, 100);
	CU_ASSERT(budget_take(&budget, 0));
	CU_ASSERT(budget_take(&budget, 60));
	CU_ASSERT(!budget_take(&budget, 41));
	CU_ASSERT_EQUAL(budget_used(&budget), 60);
	CU_ASSERT(budget_take(&budget, 40));
	CU_ASSERT(!budget_take(&budget, 1));
	CU_ASSERT_EQUAL(budget_used(&budget), 100);
}

static void what_is_given_back_can_be_taken_again(void)
{
	struct budget budget;

	budget_init(&budget, 100);
	CU_ASSERT(budget_take(&budget, 100));
	budget_give(&budget, 30);
	CU_ASSERT_EQUAL(budget_used(&budget), 70);
	CU_ASSERT(!budget_take(&budget, 31));
	CU_ASSERT(budget_take(&budget, 30));
}

static void sizes_that_would_overflow_are_refused(void)
{
	struct budget budget;

	budget_init(&budget, 100);
	CU_ASSERT(budget_take(&budget, 50));
	CU_ASSERT(!budget_take(&budget, SIZE_MAX));
	CU_ASSERT(!budget_take(&budget, SIZE_MAX - 49));
	CU_ASSERT_EQUAL(budget_used(&budget), 50);
}

enum { LIMIT = 3, THREADS = 4, ROUNDS = 20000 };

struct crowd {
	struct budget budget;
	atomic_uint over; /* times that more was taken than there is */
};

static void *take_and_give(void *context)
{
	struct crowd *crowd = context;

	for (int i = 0; i < ROUNDS; i++) {
		if (!budget_take(&crowd->budget, 1))
			continue;
		if (budget_used(&crowd->budget) > LIMIT)
			atomic_fetch_add(&crowd->over, 1);
		budget_give(&crowd->budget, 1);
	}
	return NULL;
}

static void threads_share_it(void)
{
	pthread_t threads[THREADS];
	struct crowd crowd;
	int started = 0;

	budget_init(&crowd.budget, LIMIT);
	atomic_init(&crowd.over, 0);
	while (started < THREADS && pthread_create(&threads[started], NULL, take_and_give, &crowd) == 0)
		started++;
	CU_ASSERT_EQUAL(started, THREADS);
	for (int i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	CU_ASSERT_EQUAL(atomic_load(&crowd.over), 0);
	CU_ASSERT_EQUAL(budget_used(&crowd.budget), 0);
}

int add_budget_suite(void)
{
	static const struct unit_test tests[] = {
		{"it gives up to its limit, and no byte more", it_gives_up_to_its_limit_and_no_byte_more},
		{"what is given back can be taken again", what_is_given_back_can_be_taken_again},
		{"sizes that would overflow are refused", sizes_that_would_overflow_are_refused},
		{"threads share it", threads_share_it},
		{NULL, NULL},
	};

	return add_suite("budget", tests);
}
