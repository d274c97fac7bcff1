/* SPDX-License-Identifier: Apache-2.0 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/prune.h"
#include "core/review_members.h"
#include "same_verdict.h"
#include "suites.h"
#include "unit.h"

enum { REVIEW_MAX = 1024 * 1024 };

static const struct prune_member below[] = {{"x", NULL}, {"deep", below}, {NULL, NULL}};
static const struct prune_member table[] = {{"a", NULL}, {"b", below}, {"own/", NULL}, {NULL, NULL}};

static const char *pruned(struct arena *arena, const char *text)
{
	const char *result = NULL;
	size_t len = 0;

	if (prune(arena, text, strlen(text), table, &result, &len) != PRUNE_OK)
		return NULL;
	CU_ASSERT(strlen(result) == len);
	return result;
}

static void what_the_table_names_stays(void)
{
	static const char *const rows[][2] = {
		{"{}", "{}"},
		{"{\"a\":1}", "{\"a\":1}"},
		{"{\"z\":1}", "{}"},
		{"{\"a\":{\"z\":[1,{\"y\":2}]}}", "{\"a\":{\"z\":[1,{\"y\":2}]}}"},
		{"{\"a\":1,\"z\":2}", "{\"a\":1}"},
		{"{\"z\":2,\"a\":1}", "{\"a\":1}"},
		{"{\"z\":2,\"y\":3,\"a\":1,\"w\":[{}],\"x\":{},\"b\":0,\"v\":\"}\"}", "{\"a\":1,\"b\":0}"},
		{"{\"a\":1,\"z\":2,\"a\":3}", "{\"a\":1,\"a\":3}"},
		{"{\"b\":{\"x\":1,\"y\":2},\"a\":1}", "{\"b\":{\"x\":1},\"a\":1}"},
		{"{\"b\":{\"y\":2}}", "{\"b\":{}}"},
		{"{\"b\":{\"deep\":{\"y\":1,\"deep\":{\"x\":[],\"y\":1}}}}",
		 "{\"b\":{\"deep\":{\"deep\":{\"x\":[]}}}}"},
		{"{\"A\":1,\"aa\":1,\"\":1}", "{}"},
		{"{\"own/p\":1,\"own\":2,\"owner/\":3,\"own/\":4}", "{\"own/p\":1,\"own/\":4}"},
		{" { \"z\" : 1 , \"a\" : 2 , \"y\" : 3 } ", " { \"a\" : 2 }"},
	};
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		CHECK_STRING(pruned(arena, rows[i][0]), rows[i][1]);
	unit_arena_end(&unit);
}

static void arrays_keep_their_elements_and_other_types_stay(void)
{
	static const char *const rows[][2] = {
		{"{\"b\":[{\"x\":1,\"y\":2},{\"y\":3},{},7,null,\"s\",[{\"y\":4}]]}",
		 "{\"b\":[{\"x\":1},{},{},7,null,\"s\",[{\"y\":4}]]}"},
		{"{\"b\":[]}", "{\"b\":[]}"},
		{"{\"b\":null}", "{\"b\":null}"},
		{"{\"b\":\"y\"}", "{\"b\":\"y\"}"},
		{"{\"b\":-1.5e3}", "{\"b\":-1.5e3}"},
		{"[{\"z\":1}]", "[{}]"},
		{"null", "null"},
	};
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		CHECK_STRING(pruned(arena, rows[i][0]), rows[i][1]);
	unit_arena_end(&unit);
}

static void a_name_with_an_escape_stays_as_it_could_be_any(void)
{
	static const char text[] = "{\"\\u0062\":{\"y\":1},\"z\":1}";
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);

	CHECK_STRING(pruned(arena, text), "{\"\\u0062\":{\"y\":1}}");
	unit_arena_end(&unit);
}

static void what_is_left_out_must_be_json_too(void)
{
	static const char *const bad[] = {
		"",
		"{\"z\":01}",
		"{\"z\":1,}",
		"{\"z\":[1,]}",
		"{\"z\":\"\\u0000\"}",
		"{\"z\":\"\xff\"}",
		"{\"z\":tru}",
		"{\"z\" 1}",
		"{\"z\":1}}",
		"{\"z\":1",
		"{\"z\":{\"y\"}}",
		"{,\"a\":1}",
		"{\"a\":1,,}",
		"{\"b\":[}",
		"{\"b\":[{},]}",
		"{\"b\":{\"x\":1,}}",
		"{\"b\":[1 2]}",
		"{\"b\":[1;2]}",
		"{z:1}",
	};
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);

	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		CHECK_ROW(pruned(arena, bad[i]) == NULL, bad[i]);
	unit_arena_end(&unit);
}

static void nesting_counts_through_the_table(void)
{
	/* Two levels of the text around a member, and the rest within it. */
	static const char *const members[] = {"x", "y"};
	char text[2200];
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);

	for (size_t i = 0; i < ARRAY_LEN(members); i++) {
		for (int depth = 998; depth <= 999; depth++) {
			int len = snprintf(text, sizeof(text), "{\"b\":{\"%s\":", members[i]);

			memset(text + len, '[', (size_t)depth);
			memset(text + len + depth, ']', (size_t)depth);
			memcpy(text + len + 2 * depth, "}}", sizeof("}}"));
			CHECK_ROW((pruned(arena, text) != NULL) == (depth == 998), members[i]);
		}
	}
	unit_arena_end(&unit);
}

static void nesting_counts_if_the_table_is_endless(void)
{
	static const char opening[] = "{\"deep\":", begin[] = "{\"b\":";
	char text[12000];
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);

	for (int depth = 999; depth <= 1000; depth++) {
		char *at = text + snprintf(text, sizeof(text), "%s", begin);

		for (int i = 0; i < depth; i++, at += strlen(opening))
			memcpy(at, opening, strlen(opening));
		*at++ = '1';
		memset(at, '}', (size_t)depth + 1);
		at[depth + 1] = '\0';
		CU_ASSERT((pruned(arena, text) != NULL) == (depth == 999));
	}
	unit_arena_end(&unit);
}

static void memory_that_is_not_needed_goes_back(void)
{
	char memory[400];
	char text[300];
	struct arena arena;
	const char *result;
	size_t len;

	arena_init_fixed(&arena, memory, sizeof(memory));
	snprintf(text, sizeof(text), "{\"z\":\"%0200d\"}", 0);
	for (int i = 0; i < 5; i++)
		CU_ASSERT(prune(&arena, text, strlen(text), table, &result, &len) == PRUNE_OK && len == 2);
	memset(text, ' ', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	CU_ASSERT(arena_alloc(&arena, 200) != NULL);
	CU_ASSERT(prune(&arena, text, strlen(text), table, &result, &len) == PRUNE_NO_MEMORY);
}

/* Compares every review that matches a pattern; returns how many there were. */
static size_t compare_reviews(const char *pattern, char *text)
{
	glob_t found;
	size_t count = 0;

	if (glob(pattern, 0, NULL, &found) != 0)
		return 0;
	for (; count < found.gl_pathc; count++) {
		FILE *file = fopen(found.gl_pathv[count], "rb");
		size_t len = file ? fread(text, 1, REVIEW_MAX - 1, file) : 0;
		struct unit_arena unit;
		struct arena *arena = unit_arena_begin(&unit);

		text[len] = '\0';
		CHECK_ROW(len > 0 && same_verdict(arena, text, len), found.gl_pathv[count]);
		unit_arena_end(&unit);
		if (file)
			fclose(file);
	}
	globfree(&found);
	return count;
}

static void a_large_text_takes_the_memory_of_what_stays_and_no_more(void)
{
	static char memory[4 * 1024];
	static char text[REVIEW_MAX];
	static const char begin[] = "{\"z\":\"", end[] = "\",\"a\":12}";
	struct arena arena;

	memset(text, ' ', sizeof(text));
	memcpy(text, begin, sizeof(begin) - 1);
	memcpy(text + sizeof(text) - sizeof(end), end, sizeof(end));
	arena_init_fixed(&arena, memory, sizeof(memory));
	CHECK_STRING(pruned(&arena, text), "{\"a\":12}");
	CU_ASSERT(arena.left > sizeof(memory) - 64);
	text[0] = '[';
	CU_ASSERT(pruned(&arena, text) == NULL && arena.state == ARENA_OK);
}

static void a_large_text_that_stays_is_not_copied(void)
{
	static char text[REVIEW_MAX];
	static const char begin[] = "{\"a\":\"", end[] = "\",\"z\":12}";
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);
	const char *before = arena->next;

	memset(text, ' ', sizeof(text));
	memcpy(text, begin, sizeof(begin) - 1);
	memcpy(text + sizeof(text) - sizeof(end), end, sizeof(end));
	CU_ASSERT(pruned(arena, text) == text && arena->next == before);
	unit_arena_end(&unit);
}

static void rules_give_the_same_verdict_on_a_whole_review(void)
{
	char *text = malloc(REVIEW_MAX);

	CU_ASSERT(text && compare_reviews("tests/cases/recorded/*.json", text) > 10);
	CU_ASSERT(text && compare_reviews("tests/cases/*/*/review.json", text) > 200);
	free(text);
}

int add_prune_suite(void)
{
	static const struct unit_test tests[] = {
		{"what the table names stays", what_the_table_names_stays},
		{"arrays keep their elements, and other types stay", arrays_keep_their_elements_and_other_types_stay},
		{"a name with an escape stays, as it could be any", a_name_with_an_escape_stays_as_it_could_be_any},
		{"what is left out must be JSON too", what_is_left_out_must_be_json_too},
		{"nesting counts through the table", nesting_counts_through_the_table},
		{"nesting counts if the table is endless", nesting_counts_if_the_table_is_endless},
		{"memory that is not needed goes back", memory_that_is_not_needed_goes_back},
		{"a large text takes the memory of what stays and no more",
		 a_large_text_takes_the_memory_of_what_stays_and_no_more},
		{"a large text that stays is not copied", a_large_text_that_stays_is_not_copied},
		{"rules give the same verdict on a whole review", rules_give_the_same_verdict_on_a_whole_review},
		{NULL, NULL},
	};

	return add_suite("prune", tests);
}
