/* SPDX-License-Identifier: Apache-2.0 */
#include "suites.h"
#include "sys/cpus.h"
#include "unit.h"

static void a_quota_is_rounded_up_to_cpus(void)
{
	static const struct {
		const char *text;
		unsigned cpus; /* 0: no limit */
	} rows[] = {
		{"max 100000", 0},    {"100000 100000", 1},
		{"50000 100000", 1},  {"1000 100000", 1},
		{"100001 100000", 2}, {"150000 100000", 2},
		{"200000 100000", 2}, {"3200000 100000", 32},
		{"20000 10000", 2},   {"", 0},
		{"max", 0},           {"100000", 0},
		{"0 100000", 0},      {"100000 0", 0},
		{"x y", 0},           {"18446744073709551615 1", 1024}, /* as many as a mask can name */
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		CHECK_ROW(cpus_of_quota(rows[i].text) == rows[i].cpus, rows[i].text);
}

static void there_is_always_one(void)
{
	CU_ASSERT(cpus_available() >= 1);
}

static void the_least_counts_and_never_more_than_the_most(void)
{
	CU_ASSERT(cpus_least(4, 0) == 4);
	CU_ASSERT(cpus_least(4, 2) == 2);
	CU_ASSERT(cpus_least(2, 4) == 2);
	CU_ASSERT(cpus_least(256, 0) == CPUS_MAX);
	CU_ASSERT(cpus_least(256, 100) == CPUS_MAX);
}

int add_cpus_suite(void)
{
	static const struct unit_test tests[] = {
		{"a quota is rounded up to CPUs", a_quota_is_rounded_up_to_cpus},
		{"there is always one", there_is_always_one},
		{"the least counts, and never more than the most", the_least_counts_and_never_more_than_the_most},
		{NULL, NULL},
	};

	return add_suite("cpus", tests);
}
