/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/error.h"
#include "suites.h"
#include "unit.h"

static void a_failure_is_one_statement(void)
{
	struct error err = {0};

	CU_ASSERT_EQUAL(error_set(&err, ERROR_INVALID, "%s has %d bytes", "a", 3), -1);
	CU_ASSERT_EQUAL(err.code, ERROR_INVALID);
	CHECK_STRING(err.message, "a has 3 bytes");
}

static void context_comes_before_the_message_and_keeps_the_code(void)
{
	struct error err = {0};

	error_set(&err, ERROR_SYSTEM, "no such file");
	CU_ASSERT_EQUAL(error_prefix(&err, "%s", "ca.crt"), -1);
	CU_ASSERT_EQUAL(err.code, ERROR_SYSTEM);
	CHECK_STRING(err.message, "ca.crt: no such file");
}

static void a_caller_may_pass_none(void)
{
	CU_ASSERT_EQUAL(error_set(NULL, ERROR_INVALID, "%s", "a"), -1);
	CU_ASSERT_EQUAL(error_prefix(NULL, "%s", "a"), -1);
}

static void a_long_message_is_cut(void)
{
	struct error err = {0};
	char text[2 * sizeof(err.message)];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	error_set(&err, ERROR_INVALID, "%s", text);
	CU_ASSERT_EQUAL(strlen(err.message), sizeof(err.message) - 1);
	error_prefix(&err, "%s", text);
	CU_ASSERT_EQUAL(strlen(err.message), sizeof(err.message) - 1);
	error_prefix(&err, "here");
	CU_ASSERT_EQUAL(strlen(err.message), sizeof(err.message) - 1);
	CU_ASSERT(strncmp(err.message, "here: xxx", 9) == 0);
}

int add_error_suite(void)
{
	static const struct unit_test tests[] = {
		{"a failure is one statement", a_failure_is_one_statement},
		{"context comes before the message, and keeps the code",
		 context_comes_before_the_message_and_keeps_the_code},
		{"a caller may pass none", a_caller_may_pass_none},
		{"a long message is cut", a_long_message_is_cut},
		{NULL, NULL},
	};

	return add_suite("error", tests);
}
