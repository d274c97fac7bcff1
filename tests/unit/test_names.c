/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/names.h"
#include "suites.h"
#include "unit.h"

#define A63 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static void dns_labels(void)
{
	static const char *const good[] = {"a", "0", "a-b", "a--b", "9a", A63};
	static const char *const bad[] = {"", "-a", "a-", "A", "a.b", "a_b", "a b", A63 "a", "\xc3\xa4"};

	for (size_t i = 0; i < ARRAY_LEN(good); i++)
		CHECK_ROW(name_is_dns_label(good[i]), good[i]);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		CHECK_ROW(!name_is_dns_label(bad[i]), bad[i]);
}

static void dns_names(void)
{
	static const char *const good[] = {"a", "cluster.local", "a.b.c", A63 "." A63 "." A63};
	static const char *const bad[] = {"", ".", "a.", ".a", "a..b", "A.b", A63 "." A63 "." A63 "." A63};

	for (size_t i = 0; i < ARRAY_LEN(good); i++)
		CHECK_ROW(name_is_dns_name(good[i]), good[i]);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		CHECK_ROW(!name_is_dns_name(bad[i]), bad[i]);
}

static void decimals(void)
{
	static const struct {
		const char *text;
		unsigned max;
		bool good;
		unsigned number;
	} rows[] = {
		{"0", 0, true, 0},
		{"7", 7, true, 7},
		{"65535", 65535, true, 65535},
		{"65536", 65535, false, 0},
		{"8", 7, false, 0},
		{"00", 9, false, 0},
		{"01", 9, false, 0},
		{"", 9, false, 0},
		{"+1", 9, false, 0},
		{"-1", 9, false, 0},
		{"1 ", 9, false, 0},
		{" 1", 9, false, 0},
		{"1a", 99, false, 0},
		{"4294967295", 4294967295U, true, 4294967295U},
		{"4294967296", 4294967295U, false, 0},
		{"99999999999999999999", 4294967295U, false, 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		unsigned number = 0;
		bool good = name_parse_decimal(rows[i].text, rows[i].max, &number);

		CHECK_ROW(good == rows[i].good && number == rows[i].number, rows[i].text);
	}
}

int add_names_suite(void)
{
	static const struct unit_test tests[] = {
		{"DNS labels", dns_labels},
		{"DNS names", dns_names},
		{"decimals", decimals},
		{NULL, NULL},
	};

	return add_suite("names", tests);
}
