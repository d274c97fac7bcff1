/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/buf.h"
#include "suites.h"
#include "unit.h"

static void it_grows_and_stays_terminated(void)
{
	CLEANUP(buf_release) struct buf buf;

	buf_init(&buf, 10000);
	CHECK_STRING(buf_string(&buf), "");
	for (int i = 0; i < 1000; i++)
		buf_addf(&buf, "%d,", i % 10);
	CU_ASSERT(!buf.failed);
	CU_ASSERT(buf.len == 2000 && strlen(buf_string(&buf)) == 2000);
}

static void it_never_exceeds_its_maximum_and_failure_stays(void)
{
	CLEANUP(buf_release) struct buf buf;

	buf_init(&buf, 5);
	buf_add_string(&buf, "12345");
	CU_ASSERT(!buf.failed);
	buf_add_string(&buf, "6");
	CU_ASSERT(buf.failed);
	buf_add_string(&buf, "");
	CU_ASSERT(buf.failed);
	CHECK_STRING(buf_string(&buf), "12345");
}

static void a_maximum_between_two_powers_is_reached_exactly(void)
{
	CLEANUP(buf_release) struct buf buf;

	buf_init(&buf, 300);
	for (int i = 0; i < 300; i++)
		buf_add(&buf, "x", 1);
	CU_ASSERT(!buf.failed && buf.len == 300);
	buf_add(&buf, "x", 1);
	CU_ASSERT(buf.failed && buf.len == 300);
}

static void a_secret_grows_and_stays_secret(void)
{
	CLEANUP(buf_release) struct buf buf;

	buf_init_secret(&buf, 10000);
	for (int i = 0; i < 5000; i++)
		buf_addf(&buf, "%d", i % 10);
	CU_ASSERT(!buf.failed && buf.len == 5000);
	for (size_t i = 0; i < buf.len; i++)
		if (buf.data[i] != (char)('0' + i % 10))
			CU_FAIL("growing has changed it");
	buf_release(&buf);
	CU_ASSERT(buf.secret && buf.len == 0 && !buf.data);
}

int add_buf_suite(void)
{
	static const struct unit_test tests[] = {
		{"it grows and stays terminated", it_grows_and_stays_terminated},
		{"it never exceeds its maximum and failure stays", it_never_exceeds_its_maximum_and_failure_stays},
		{"a maximum between two powers is reached exactly", a_maximum_between_two_powers_is_reached_exactly},
		{"a secret grows and stays secret", a_secret_grows_and_stays_secret},
		{NULL, NULL},
	};

	return add_suite("buf", tests);
}
