/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>

#include "base/compiler.h"
#include "kube/backoff.h"
#include "suites.h"
#include "unit.h"

static void each_delay_is_twice_the_one_before_up_to_the_cap(void)
{
	static const unsigned expected[] = {500, 1000, 2000, 4000, 8000, 16000, 30000, 30000};
	struct backoff backoff = {.base = 500, .cap = 30000};

	for (size_t i = 0; i < ARRAY_LEN(expected); i++)
		CU_ASSERT_EQUAL(backoff_next(&backoff, 0), expected[i]);
	for (int i = 0; i < 1000; i++)
		CU_ASSERT_EQUAL(backoff_next(&backoff, 0), 30000);
}

static void chance_takes_off_at_most_a_half(void)
{
	static const unsigned numbers[] = {0, 1, 249, 250, 251, 499, 500, 12345678, UINT_MAX};
	bool shortest = false;

	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		struct backoff backoff = {.base = 500, .cap = 30000};
		const unsigned delay = backoff_next(&backoff, numbers[i]);

		CU_ASSERT(delay >= 250 && delay <= 500);
		shortest |= delay == 250;
	}
	CU_ASSERT(shortest);
}

static void after_a_success_it_starts_again(void)
{
	struct backoff backoff = {.base = 500, .cap = 30000};

	CU_ASSERT_EQUAL(backoff_next(&backoff, 0), 500);
	CU_ASSERT_EQUAL(backoff_next(&backoff, 0), 1000);
	backoff_reset(&backoff);
	CU_ASSERT_EQUAL(backoff_next(&backoff, 0), 500);
}

static void nothing_overflows(void)
{
	struct backoff largest = {.base = UINT_MAX / 2, .cap = UINT_MAX};
	struct backoff smallest = {.base = 1, .cap = 1};
	struct backoff narrow = {.base = 1000, .cap = 10};

	CU_ASSERT_EQUAL(backoff_next(&largest, 0), UINT_MAX / 2);
	CU_ASSERT_EQUAL(backoff_next(&largest, 0), UINT_MAX - 1);
	CU_ASSERT_EQUAL(backoff_next(&largest, 0), UINT_MAX);
	CU_ASSERT_EQUAL(backoff_next(&largest, UINT_MAX / 2), UINT_MAX / 2 + 1);
	CU_ASSERT_EQUAL(backoff_next(&smallest, UINT_MAX), 1);
	CU_ASSERT_EQUAL(backoff_next(&narrow, 0), 10);
}

static void the_first_regular_end_costs_no_time(void)
{
	struct backoff backoff = {.base = 500, .cap = 30000};

	CU_ASSERT_EQUAL(backoff_after_end(&backoff, true, 0), 0);
	CU_ASSERT_EQUAL(backoff_after_end(&backoff, true, 0), 1000);
	backoff_reset(&backoff);
	CU_ASSERT_EQUAL(backoff_after_end(&backoff, false, 0), 500);
	CU_ASSERT_EQUAL(backoff_after_end(&backoff, true, 0), 1000);
}

int add_backoff_suite(void)
{
	static const struct unit_test tests[] = {
		{"each delay is twice the one before, up to the cap", each_delay_is_twice_the_one_before_up_to_the_cap},
		{"chance takes off at most a half", chance_takes_off_at_most_a_half},
		{"after a success it starts again", after_a_success_it_starts_again},
		{"nothing overflows", nothing_overflows},
		{"the first regular end costs no time", the_first_regular_end_costs_no_time},
		{NULL, NULL},
	};

	return add_suite("backoff", tests);
}
