/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "suites.h"
#include "sys/clock.h"
#include "unit.h"

static void time_never_goes_back(void)
{
	uint64_t before = clock_microseconds();

	for (int i = 0; i < 10000; i++) {
		const uint64_t now = clock_microseconds();

		CU_ASSERT(now >= before);
		before = now;
	}
	CU_ASSERT(clock_milliseconds() >= before / 1000);
}

static void milliseconds_become_a_timespec(void)
{
	static const struct {
		uint64_t milliseconds;
		long seconds, nanoseconds;
	} rows[] = {{0, 0, 0}, {1, 0, 1000000}, {999, 0, 999000000}, {1000, 1, 0}, {86400001, 86400, 1000000}};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct timespec time = clock_timespec(rows[i].milliseconds);

		CU_ASSERT_EQUAL(time.tv_sec, rows[i].seconds);
		CU_ASSERT_EQUAL(time.tv_nsec, rows[i].nanoseconds);
	}
}

static void a_timed_wait_uses_the_same_clock(void)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	const uint64_t end = clock_milliseconds() + 20;
	const struct timespec until = clock_timespec(end);
	pthread_cond_t cond;
	int result = 0;

	clock_cond_init(&cond);
	pthread_mutex_lock(&lock);
	while (result == 0)
		result = pthread_cond_timedwait(&cond, &lock, &until);
	pthread_mutex_unlock(&lock);
	CU_ASSERT_EQUAL(result, ETIMEDOUT);
	CU_ASSERT(clock_milliseconds() >= end);
	pthread_cond_destroy(&cond);
}

int add_clock_suite(void)
{
	static const struct unit_test tests[] = {
		{"time never goes back", time_never_goes_back},
		{"milliseconds become a timespec", milliseconds_become_a_timespec},
		{"a timed wait uses the same clock", a_timed_wait_uses_the_same_clock},
		{NULL, NULL},
	};

	return add_suite("clock", tests);
}
