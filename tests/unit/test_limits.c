/* SPDX-License-Identifier: Apache-2.0 */
#include <sys/resource.h>

#include "net/limits.h"
#include "suites.h"
#include "unit.h"

enum { MIB = 1024 * 1024 };

static void what_is_asked_for_is_given_while_it_is_affordable(void)
{
	struct limits limits;
	struct error err;

	CU_ASSERT(limits_find(100, 2, (size_t)32 * MIB, &limits, &err) == 0);
	CU_ASSERT(limits.connections == 100 && limits.reason == NULL);
}

static void connections_take_half_of_the_memory_at_most(void)
{
	const unsigned most = 16 * MIB / 2 / LIMITS_CONNECTION_MEMORY;
	struct limits limits;
	struct error err;

	CU_ASSERT(limits_find(most, 2, (size_t)16 * MIB, &limits, &err) == 0);
	CU_ASSERT(limits.connections == most && limits.reason == NULL);
	CU_ASSERT(limits_find(most + 1, 2, (size_t)16 * MIB, &limits, &err) == 0);
	CU_ASSERT(limits.connections == most);
	CHECK_STRING(limits.reason, "they may take half of --memory");
}

static void each_thread_gets_a_connection(void)
{
	struct limits limits;
	struct error err;

	CU_ASSERT(limits_find(2, 8, (size_t)32 * MIB, &limits, &err) == 0);
	CU_ASSERT(limits.connections == 8 && limits.reason == NULL);
}

/* Runs limits_find under a soft limit of open files. The hard one stays: not everyone may raise it again. */
static int find_with_descriptors(rlim_t descriptors, struct limits *ret_limits, struct error *err)
{
	struct rlimit before, limit;
	int result;

	CU_ASSERT(getrlimit(RLIMIT_NOFILE, &before) == 0);
	limit = (struct rlimit){.rlim_cur = descriptors, .rlim_max = before.rlim_max};
	CU_ASSERT(setrlimit(RLIMIT_NOFILE, &limit) == 0);
	result = limits_find(100, 2, (size_t)32 * MIB, ret_limits, err);
	CU_ASSERT(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	CU_ASSERT(limit.rlim_cur >= descriptors);
	CU_ASSERT(setrlimit(RLIMIT_NOFILE, &before) == 0);
	return result;
}

static void the_limit_of_open_files_is_raised(void)
{
	struct limits limits;
	struct error err;

	CU_ASSERT(find_with_descriptors(64, &limits, &err) == 0);
	CU_ASSERT(limits.connections == 100 && limits.reason == NULL);
}

int add_limits_suite(void)
{
	static const struct unit_test tests[] = {
		{"what is asked for is given while it is affordable",
		 what_is_asked_for_is_given_while_it_is_affordable},
		{"connections take half of the memory at most", connections_take_half_of_the_memory_at_most},
		{"each thread gets a connection", each_thread_gets_a_connection},
		{"the limit of open files is raised", the_limit_of_open_files_is_raised},
		{NULL, NULL},
	};

	return add_suite("limits", tests);
}
