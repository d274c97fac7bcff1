#include <string.h>

#include "base/buf.h"
#include "base/error.h"
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

static void it_never_passes_its_maximum_and_failure_stays(void)
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

static void errors_are_cut_and_take_context(void)
{
	struct error err;
	char long_text[600];

	memset(long_text, 'x', sizeof(long_text) - 1);
	long_text[sizeof(long_text) - 1] = '\0';
	CU_ASSERT(error_set(&err, ERROR_INVALID, "%s", long_text) == -1);
	CU_ASSERT(strlen(err.message) == sizeof(err.message) - 1);
	CU_ASSERT(error_set(&err, ERROR_SYSTEM, "no such file") == -1);
	CU_ASSERT(error_prefix(&err, "reading %s", "a.pem") == -1);
	CHECK_STRING(err.message, "reading a.pem: no such file");
	CU_ASSERT(err.code == ERROR_SYSTEM);
	CU_ASSERT(error_set(NULL, ERROR_SYSTEM, "nobody listens") == -1);
	CU_ASSERT(error_prefix(NULL, "nobody listens") == -1);
}

int add_buf_suite(void)
{
	static const struct unit_test tests[] = {
		{"it grows and stays terminated", it_grows_and_stays_terminated},
		{"it never passes its maximum and failure stays", it_never_passes_its_maximum_and_failure_stays},
		{"a maximum between two powers is reached exactly", a_maximum_between_two_powers_is_reached_exactly},
		{"a secret grows and stays secret", a_secret_grows_and_stays_secret},
		{"errors are cut and take context", errors_are_cut_and_take_context},
		{NULL, NULL},
	};

	return add_suite("buf and error", tests);
}
