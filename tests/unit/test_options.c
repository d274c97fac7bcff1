/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/options.h"
#include "suites.h"
#include "unit.h"

struct values {
	bool flag;
	const char *string;
	const char *name;
	const char *domain;
	const char *image;
	const char *address;
	unsigned count;
	size_t size;
	unsigned duration;
	unsigned choice;
	struct option_list list;
};

#define FIELD(member) offsetof(struct values, member)

static const char *const choices[] = {"low", "high", NULL};

static const struct option table[] = {
	{.flag = "--flag", .type = OPTION_FLAG, .offset = FIELD(flag), .help = "f"},
	{.flag = "--string", .type = OPTION_STRING, .offset = FIELD(string), .value = "S", .help = "s"},
	{.flag = "--name", .type = OPTION_NAME, .offset = FIELD(name), .value = "NAME", .help = "n"},
	{.flag = "--domain", .type = OPTION_DOMAIN, .offset = FIELD(domain), .fallback = "", .value = "D", .help = "d"},
	{.flag = "--image", .type = OPTION_IMAGE, .offset = FIELD(image), .value = "IMAGE", .help = "i"},
	{.flag = "--listen",
	 .type = OPTION_ADDRESS,
	 .offset = FIELD(address),
	 .fallback = "[::]:8443",
	 .value = "A",
	 .help = "a"},
	{.flag = "--count",
	 .type = OPTION_COUNT,
	 .offset = FIELD(count),
	 .fallback = "3",
	 .min = 1,
	 .max = 9,
	 .value = "N",
	 .help = "c"},
	{.flag = "--size",
	 .type = OPTION_SIZE,
	 .offset = FIELD(size),
	 .fallback = "48Mi",
	 .min = 1,
	 .max = 1 << 30,
	 .value = "SIZE",
	 .help = "m"},
	{.flag = "--duration",
	 .type = OPTION_DURATION,
	 .offset = FIELD(duration),
	 .fallback = "10s",
	 .min = 1,
	 .max = 3600,
	 .value = "T",
	 .help = "t"},
	{.flag = "--choice",
	 .type = OPTION_ENUM,
	 .offset = FIELD(choice),
	 .fallback = "high",
	 .choices = choices,
	 .value = "WORD",
	 .help = "w"},
	{.flag = "--list", .alias = "-l", .type = OPTION_LIST, .offset = FIELD(list), .value = "L", .help = "l"},
	{0},
};

static int parse(struct values *values, struct error *err, const char *a, const char *b)
{
	char *argv[] = {a ? strdup(a) : NULL, b ? strdup(b) : NULL};
	struct options options = {.table = table, .env_prefix = "UNIT_TEST_", .settings = values};
	int result = options_parse(&options, (a != NULL) + (b != NULL), argv, err);

	free(argv[0]);
	free(argv[1]);
	return result;
}

static void defaults_are_what_a_user_would_write(void)
{
	struct values values;
	struct error err;

	CU_ASSERT(parse(&values, &err, NULL, NULL) == 0);
	CU_ASSERT(!values.flag && !values.string && !values.image && values.count == 3 &&
		  values.size == 48 * 1024 * 1024);
	CU_ASSERT(values.duration == 10 && values.choice == 1);
	CHECK_STRING(values.address, "[::]:8443");
	CHECK_STRING(values.domain, "");
}

static void both_forms_of_a_flag_work(void)
{
	struct values values;
	struct error err;

	CU_ASSERT(parse(&values, &err, "--count", "5") == 0 && values.count == 5);
	CU_ASSERT(parse(&values, &err, "--count=6", NULL) == 0 && values.count == 6);
	CU_ASSERT(parse(&values, &err, "--flag", "--duration=2m") == 0 && values.flag && values.duration == 120);
	CU_ASSERT(parse(&values, &err, "--size", "2Ki") == 0 && values.size == 2048);
	CU_ASSERT(parse(&values, &err, "--choice=low", NULL) == 0 && values.choice == 0);
}

static void a_list_grows_by_both_names_of_its_flag(void)
{
	struct values values;
	struct error err;

	CU_ASSERT(parse(&values, &err, NULL, NULL) == 0 && values.list.len == 0);
	CU_ASSERT(parse(&values, &err, "-l=a=b", "--list=c") == 0 && values.list.len == 2);
	CU_ASSERT(parse(&values, &err, "-l", "d") == 0 && values.list.len == 1);
}

static void a_list_has_an_end(void)
{
	char argument[] = "-l=x";
	char *argv[OPTION_LIST_MAX + 1];
	struct values values;
	struct options options = {.table = table, .settings = &values};
	struct error err;

	for (size_t i = 0; i < ARRAY_LEN(argv); i++)
		argv[i] = argument;
	CU_ASSERT(options_parse(&options, OPTION_LIST_MAX, argv, &err) == 0);
	CU_ASSERT(values.list.len == OPTION_LIST_MAX);
	CHECK_STRING(values.list.texts[OPTION_LIST_MAX - 1], "x");
	CU_ASSERT(options_parse(&options, OPTION_LIST_MAX + 1, argv, &err) < 0);
	CHECK_STRING(err.message, "--list is \"x\": allowed is a text that is not empty, at most 100 times");
}

static void the_environment_is_read_and_a_flag_wins(void)
{
	struct values values;
	struct error err;

	setenv("UNIT_TEST_COUNT", "7", 1);
	CU_ASSERT(parse(&values, &err, NULL, NULL) == 0 && values.count == 7);
	CU_ASSERT(parse(&values, &err, "--count", "8") == 0 && values.count == 8);
	setenv("UNIT_TEST_COUNT", "0", 1);
	CU_ASSERT(parse(&values, &err, NULL, NULL) < 0);
	CHECK_STRING(err.message, "UNIT_TEST_COUNT is \"0\": allowed is a whole number from 1 to 9");
	unsetenv("UNIT_TEST_COUNT");
}

static void what_is_wrong_is_named_with_what_is_allowed(void)
{
	static const struct {
		const char *a;
		const char *b;
		const char *message;
	} rows[] = {
		{"--nope", NULL, "unknown flag \"--nope\""},
		{"nope", NULL, "unknown argument \"nope\""},
		{"--countx=3", NULL, "unknown flag \"--countx=3\""},
		{"--count", NULL, "--count needs a value"},
		{"--count", "10", "--count is \"10\": allowed is a whole number from 1 to 9"},
		{"--count", "-1", "--count is \"-1\""},
		{"--count", "1x", "--count is \"1x\""},
		{"--count", "99999999999999999999", "--count is"},
		{"--size", "1Ti", "--size is \"1Ti\""},
		{"--size", "99999999999Gi", "--size is"},
		{"--duration", "1d", "--duration is \"1d\""},
		{"--duration", "2h", "--duration is \"2h\""},
		{"--choice", "medium", "--choice is \"medium\": allowed is low, high"},
		{"-x", NULL, "unknown flag \"-x\""},
		{"-l", NULL, "--list needs a value: L"},
		{"-l", "", "--list is \"\": allowed is a text that is not empty"},
		{"--flag=maybe", NULL, "--flag is \"maybe\": allowed is true or false"},
		{"--string", "", "--string is \"\""},
		{"--name", "A", "--name is \"A\": allowed is a DNS label"},
		{"--domain", "a..b", "--domain is \"a..b\""},
		{"--domain", "a.", "--domain is \"a.\""},
		{"--image", "", "--image is \"\": allowed is a container image"},
		{"--image", " a", "--image is \" a\""},
		{"--image", "a\nb", "--image is"},
		{"--image", "\303\244:1", "--image is"},
		{"--listen", "8443", "--listen is \"8443\""},
		{"--listen", "::1:8443", "--listen is \"::1:8443\""},
		{"--listen", "[::]", "--listen is \"[::]\""},
		{"--listen", "[::]:65536", "--listen is \"[::]:65536\""},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct values values;
		struct error err = {ERROR_NONE, ""};

		CHECK_ROW(parse(&values, &err, rows[i].a, rows[i].b) < 0, rows[i].message);
		CHECK_ROW(err.code == ERROR_USAGE, rows[i].message);
		CHECK_ROW(strncmp(err.message, rows[i].message, strlen(rows[i].message)) == 0, err.message);
	}
}

static void addresses(void)
{
	static const char *const good[] = {"[::]:8443", "[::1]:0", ":8080", "127.0.0.1:1", "localhost:65535"};

	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		struct values values;
		struct error err;

		CHECK_ROW(parse(&values, &err, "--listen", good[i]) == 0, good[i]);
	}
}

static void images(void)
{
	static const char *const good[] = {"a", "registry.example.com:5000/team/tfconfig-webhook:0.1.0",
					   "a@sha256:0123456789abcdef"};

	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		struct values values;
		struct error err;

		CHECK_ROW(parse(&values, &err, "--image", good[i]) == 0, good[i]);
	}
}

int add_options_suite(void)
{
	static const struct unit_test tests[] = {
		{"defaults are what a user would write", defaults_are_what_a_user_would_write},
		{"both forms of a flag work", both_forms_of_a_flag_work},
		{"a list grows by both names of its flag", a_list_grows_by_both_names_of_its_flag},
		{"a list has an end", a_list_has_an_end},
		{"the environment is read and a flag wins", the_environment_is_read_and_a_flag_wins},
		{"what is wrong is named with what is allowed", what_is_wrong_is_named_with_what_is_allowed},
		{"addresses", addresses},
		{"images", images},
		{NULL, NULL},
	};

	return add_suite("options", tests);
}
