/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>

#include "base/rfc3339.h"
#include "suites.h"
#include "unit.h"

static void a_time_is_written_and_read_back(void)
{
	static const struct {
		time_t time;
		const char *text;
	} rows[] = {
		{0, "1970-01-01T00:00:00Z"},          {951782399, "2000-02-28T23:59:59Z"},
		{951782400, "2000-02-29T00:00:00Z"},  {1796083200, "2026-12-01T00:00:00Z"},
		{4102444800, "2100-01-01T00:00:00Z"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char text[RFC3339_SIZE];
		time_t time = -1;

		rfc3339_write(rows[i].time, text);
		CHECK_STRING(text, rows[i].text);
		CHECK_ROW(rfc3339_read(rows[i].text, &time) && time == rows[i].time, rows[i].text);
	}
}

static void what_is_not_a_time_is_not_read(void)
{
	static const char *const rows[] = {
		"",
		"now",
		"2026-12-01",
		"2026-12-01T00:00:00",
		"2026-12-01T00:00:00+01:00",
		"2026-12-01T00:00:00.5Z",
		"2026-12-01T00:00:00Z ",
		"2026-13-01T00:00:00Z",
	};
	time_t time = -1;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		CHECK_ROW(!rfc3339_read(rows[i], &time) && time == -1, rows[i]);
	CU_ASSERT(!rfc3339_read(NULL, &time));
}

static void a_year_that_no_int_holds_is_not_written(void)
{
	char text[RFC3339_SIZE] = "x";

	rfc3339_write(INT64_MAX, text);
	CHECK_STRING(text, "");
}

int add_rfc3339_suite(void)
{
	static const struct unit_test tests[] = {
		{"a time is written and read back", a_time_is_written_and_read_back},
		{"what is not a time is not read", what_is_not_a_time_is_not_read},
		{"a year that no int holds is not written", a_year_that_no_int_holds_is_not_written},
		{0},
	};

	return add_suite("rfc3339", tests);
}
