/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "render/scalar.h"
#include "suites.h"
#include "unit.h"

#define YAML "tag:yaml.org,2002:"

/* A scalar and its JSON; NULL: an error. */
struct row {
	const char *text;
	const char *json;
	const char *tag;
	bool quoted;
};

static const char *json_of(struct arena *arena, const struct row *row, struct error *err)
{
	struct scalar scalar = {.text = row->text, .plain = !row->quoted, .tag = row->tag};
	struct scalar_value value;
	cJSON *item;

	if (scalar_resolve(arena, &scalar, &value, err) < 0)
		return NULL;
	item = scalar_json(&value, err);
	return item ? cJSON_PrintUnformatted(item) : NULL;
}

static void check_rows(const struct row *rows, size_t len)
{
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);

	for (size_t i = 0; i < len; i++) {
		struct error err = {ERROR_NONE, ""};
		const char *json = json_of(arena, &rows[i], &err);

		CHECK_ROW((json == NULL) == (rows[i].json == NULL), rows[i].text);
		CHECK_ROW((json == NULL) == (err.code == ERROR_INVALID), rows[i].text);
		if (json && rows[i].json)
			CHECK_STRING(json, rows[i].json);
	}
	unit_arena_end(&unit);
}

static void words(void)
{
	static const struct row rows[] = {
		{.text = "yes", .json = "true"},      {.text = "Y", .json = "true"},
		{.text = "On", .json = "true"},       {.text = "TRUE", .json = "true"},
		{.text = "no", .json = "false"},      {.text = "n", .json = "false"},
		{.text = "OFF", .json = "false"},     {.text = "False", .json = "false"},
		{.text = "yEs", .json = "\"yEs\""},   {.text = "oN", .json = "\"oN\""},
		{.text = "", .json = "null"},         {.text = "~", .json = "null"},
		{.text = "Null", .json = "null"},     {.text = "nULL", .json = "\"nULL\""},
		{.text = "none", .json = "\"none\""}, {.text = "<<", .json = "\"<<\""},
	};

	check_rows(rows, ARRAY_LEN(rows));
}

static void whole_numbers(void)
{
	static const struct row rows[] = {
		{.text = "0", .json = "0"},
		{.text = "-0", .json = "0"},
		{.text = "+5", .json = "5"},
		{.text = "010", .json = "8"},
		{.text = "-010", .json = "-8"},
		{.text = "08", .json = "8"}, /* a float, as it is not octal */
		{.text = "0o17", .json = "15"},
		{.text = "0x1F", .json = "31"},
		{.text = "0X1f", .json = "31"},
		{.text = "-0x10", .json = "-16"},
		{.text = "0b101", .json = "5"},
		{.text = "1_000", .json = "1000"},
		{.text = "1__0_", .json = "10"},
		{.text = "123456789012345", .json = "123456789012345"},
		{.text = "18446744073709551616", .json = "1.8446744073709552e+19"},
		{.text = "0x", .json = "\"0x\""},
		{.text = "0x0x1", .json = "\"0x0x1\""},
		{.text = "0o8", .json = "\"0o8\""},
		{.text = "0b2", .json = "\"0b2\""},
		{.text = "- 1", .json = "\"- 1\""},
		{.text = "--1", .json = "\"--1\""},
		{.text = "-", .json = "\"-\""},
		{.text = "1:30", .json = "\"1:30\""},
		{.text = "2001-01-01", .json = "\"2001-01-01\""},
		{.text = "1.2.3", .json = "\"1.2.3\""},
	};

	check_rows(rows, ARRAY_LEN(rows));
}

static void floats(void)
{
	static const struct row rows[] = {
		{.text = ".5", .json = "0.5"},
		{.text = "-.5e1", .json = "-5"},
		{.text = "1.", .json = "1"},
		{.text = "1e3", .json = "1000"},
		{.text = "1E-2", .json = "0.01"},
		{.text = "1_0.5", .json = "10.5"},
		{.text = "1e", .json = "\"1e\""},
		{.text = "1e+", .json = "\"1e+\""},
		{.text = ".", .json = "\".\""},
		{.text = ".e1", .json = "\".e1\""},
		{.text = "0x1p2", .json = "\"0x1p2\""},
		{.text = "1e999", .json = "\"1e999\""},
		{.text = "nan", .json = "\"nan\""},
		{.text = "inf", .json = "\"inf\""},
		{.text = ".inf", .json = NULL},
		{.text = "-.INF", .json = NULL},
		{.text = ".NaN", .json = NULL},
	};

	check_rows(rows, ARRAY_LEN(rows));
}

static void quotes(void)
{
	static const struct row rows[] = {
		{.text = "yes", .json = "\"yes\"", .quoted = true},
		{.text = "", .json = "\"\"", .quoted = true},
		{.text = "010", .json = "\"010\"", .quoted = true},
	};

	check_rows(rows, ARRAY_LEN(rows));
}

static void tags(void)
{
	static const struct row rows[] = {
		{.text = "12", .json = "\"12\"", .tag = YAML "str"},
		{.text = "12", .json = "\"12\"", .tag = "!"},
		{.text = "12", .json = "\"12\"", .tag = "!mine"},
		{.text = "12", .json = "12", .tag = YAML "int", .quoted = true},
		{.text = "12", .json = "12", .tag = YAML "float"},
		{.text = "1.5", .json = NULL, .tag = YAML "int"},
		{.text = "x", .json = NULL, .tag = YAML "bool"},
		{.text = "yes", .json = "true", .tag = YAML "bool", .quoted = true},
		{.text = "x", .json = NULL, .tag = YAML "null"},
		{.text = "~", .json = "null", .tag = YAML "null"},
		{.text = "2001-01-01", .json = "\"2001-01-01\"", .tag = YAML "timestamp"},
		{.text = "aGk=", .json = "\"hi\"", .tag = YAML "binary"},
		{.text = "AAA=", .json = NULL, .tag = YAML "binary"},
		{.text = "/w==", .json = NULL, .tag = YAML "binary"},
	};

	check_rows(rows, ARRAY_LEN(rows));
}

static void keys(void)
{
	static const struct row rows[] = {
		{.text = "yes", .json = "true"},
		{.text = "010", .json = "8"},
		{.text = "-1", .json = "-1"},
		{.text = "18446744073709551615", .json = "18446744073709551615"},
		{.text = "1.10", .json = "1.1"},
		{.text = "0.0001", .json = "0.0001"},
		{.text = "1234567.0", .json = "1.234567e+06"},
		{.text = "123456.0", .json = "123456"},
		{.text = "0.00001", .json = "1e-05"},
		{.text = "1e99", .json = ".inf"},
		{.text = "-1e99", .json = "-.inf"},
		{.text = ".nan", .json = ".nan"},
		{.text = "k", .json = "k"},
		{.text = "~", .json = NULL},
	};
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct scalar scalar = {.text = rows[i].text, .plain = true};
		struct error err = {ERROR_NONE, ""};
		struct scalar_value value;
		const char *key;

		CU_ASSERT(scalar_resolve(arena, &scalar, &value, &err) == 0);
		key = scalar_key(arena, &value, &err);
		if (key || rows[i].json)
			CHECK_STRING(key, rows[i].json);
	}
	unit_arena_end(&unit);
}

int add_scalar_suite(void)
{
	static const struct unit_test tests[] = {
		{"words of YAML 1.1 are booleans and null", words},
		{"whole numbers have bases, signs and underscores", whole_numbers},
		{"floats are read, and infinite ones refused", floats},
		{"what is quoted is text", quotes},
		{"a tag demands a kind", tags},
		{"keys are text", keys},
		{NULL, NULL},
	};

	return add_suite("scalar", tests);
}
