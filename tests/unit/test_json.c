/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "suites.h"
#include "unit.h"

static cJSON *parse(struct arena *arena, const char *text)
{
	return json_parse(arena, text, strlen(text), NULL);
}

static void what_is_not_json_is_refused(void)
{
	static const char *const good[] = {"{}\n", "[1,2]", " {\"a\":null} ", "\"\\\\u0000\"", "{\"a\":\"\\u00e4\"}"};
	static const char *const bad[] = {
		"",
		"{",
		"{}x",
		"{}{}",
		"{\"a\":1,}",
		"{'a':1}",
		"nul",
		"[1 2]",
		"\"\\x\"",
		"{\"a\" 1}",
		"\"a\\u0000b\"",
		"\"\\ud800\"",
		"{\"\\u0000\":1}",
		"\"\xff\"",
		"\"\\\\\\u0000\"",
	};
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);

	for (size_t i = 0; i < ARRAY_LEN(good); i++)
		CHECK_ROW(parse(arena, good[i]) != NULL, good[i]);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		CHECK_ROW(parse(arena, bad[i]) == NULL, bad[i]);
	CU_ASSERT(json_parse(arena, "{}\0{}", 5, NULL) == NULL);
	CU_ASSERT(json_parse(arena, "{\"a\":\"b\0c\"}", 11, NULL) == NULL);
	unit_arena_end(&unit);
}

static void deep_nesting_is_an_error_not_a_crash(void)
{
	enum { DEPTH = 100000 };
	static char text[DEPTH + 1];
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);

	memset(text, '[', DEPTH);
	CU_ASSERT(parse(arena, text) == NULL);
	CU_ASSERT(arena->state == ARENA_OK);
	unit_arena_end(&unit);
}

static void a_full_arena_is_not_reported_as_bad_json(void)
{
	struct error err;
	char memory[256];
	struct arena arena;
	struct arena *before;

	arena_init_fixed(&arena, memory, sizeof(memory));
	before = arena_enter(&arena);
	CU_ASSERT(json_parse(&arena, "[1,2,3,4,5,6,7,8]", 17, &err) == NULL);
	CU_ASSERT(err.code == ERROR_NO_MEMORY);
	arena_reset(&arena);
	CU_ASSERT(json_parse(&arena, "[1,", 3, &err) == NULL);
	CU_ASSERT(err.code == ERROR_INVALID);
	arena_enter(before);
}

static void members_are_found_by_their_exact_name_and_type(void)
{
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);
	cJSON *json =
		parse(arena, "{\"Spec\":{},\"spec\":null,\"a\":[],\"s\":\"x\",\"t\":true,\"f\":false,\"s\":\"y\"}");

	CU_ASSERT(json_get_object(json, "Spec") != NULL);
	CU_ASSERT(json_get_object(json, "spec") == NULL);
	CU_ASSERT(json_get_object(json, "SPEC") == NULL);
	CU_ASSERT(json_get_array(json, "a") != NULL);
	CU_ASSERT(json_get_array(json, "s") == NULL);
	CHECK_STRING(json_get_string(json, "s"), "x"); /* of two, the first */
	CU_ASSERT(json_get_string(json, "a") == NULL);
	CU_ASSERT(json_get_true(json, "t") && !json_get_true(json, "f") && !json_get_true(json, "none"));
	CU_ASSERT(json_get_object(NULL, "a") == NULL && json_get_string(NULL, "a") == NULL);
	unit_arena_end(&unit);
}

static void whole_numbers_are_read_within_their_bounds(void)
{
	static const struct {
		const char *text;
		bool good;
		unsigned number;
	} rows[] = {
		{"{\"n\":0}", true, 0},      {"{\"n\":7}", true, 7},       {"{}", true, 5},
		{"{\"n\":null}", true, 5},   {"{\"n\":8}", false, 99},     {"{\"n\":-1}", false, 99},
		{"{\"n\":1.5}", false, 99},  {"{\"n\":\"1\"}", false, 99}, {"{\"n\":1e300}", false, 99},
		{"{\"n\":true}", false, 99},
	};
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		unsigned number = 99;
		bool good = json_get_unsigned(parse(arena, rows[i].text), "n", 5, 7, &number);

		CHECK_ROW(good == rows[i].good && number == rows[i].number, rows[i].text);
	}
	unit_arena_end(&unit);
}

static bool skip_x(const char *name)
{
	return strcmp(name, "x") == 0;
}

static void objects_are_compared_except_for_what_is_skipped(void)
{
	static const struct {
		const char *a;
		const char *b;
		bool equal;
	} rows[] = {
		{"{}", "{}", true},
		{"{\"x\":1}", "{}", true},
		{"{\"a\":1,\"x\":1}", "{\"x\":2,\"a\":1}", true},
		{"{\"a\":1}", "{\"a\":2}", false},
		{"{\"a\":1}", "{\"b\":1}", false},
		{"{\"a\":1}", "{\"a\":1,\"b\":1}", false},
		{"{\"a\":{\"x\":1}}", "{\"a\":{\"x\":2}}", false}, /* skipped at the top alone */
		{"{\"a\":[1,\"2\",null,true]}", "{\"a\":[1,\"2\",null,true]}", true},
		{"{\"a\":[1,2]}", "{\"a\":[1]}", false},
		{"{\"a\":true}", "{\"a\":false}", false},
		{"{\"a\":null}", "{\"a\":{}}", false},
		{"{\"a\":\"1\"}", "{\"a\":1}", false},
	};
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		CHECK_ROW(json_members_equal(parse(arena, rows[i].a), parse(arena, rows[i].b), skip_x) == rows[i].equal,
			  rows[i].a);
	CU_ASSERT(json_members_equal(NULL, parse(arena, "{\"x\":1}"), skip_x));
	CU_ASSERT(!json_members_equal(NULL, parse(arena, "{\"a\":1}"), skip_x));
	unit_arena_end(&unit);
}

static void comparing_many_members_takes_one_walk(void)
{
	enum { MEMBERS = 200000 };
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);
	cJSON *a = cJSON_CreateObject();
	cJSON *b = cJSON_CreateObject();

	/* Quadratic work would take minutes here, and the test's time-out would say so. */
	for (int i = 0; i < MEMBERS; i++) {
		const char *name = arena_printf(arena, "k%d", i);

		json_add_string(a, name, name);
		json_add_string(b, name, name);
	}
	CU_ASSERT(arena->state == ARENA_OK);
	CU_ASSERT(json_members_equal(a, b, NULL));
	unit_arena_end(&unit);
}

static void what_is_printed_takes_the_memory_of_its_text(void)
{
	enum { LARGE = 100 * 1000 };
	static const char *const texts[] = {"[1,\"a\\\"b\",{\"c\":null,\"d\":[true,{}]}]", "\"\"", "-1.5", "{}"};
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);
	cJSON *object = cJSON_CreateObject();
	char *large = arena_alloc(arena, LARGE + 1);
	const char *before;
	size_t len;

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		CHECK_STRING(json_print(arena, parse(arena, texts[i])), texts[i]);
	memset(large, 'x', LARGE);
	large[LARGE] = '\0';
	json_add_string(object, "large", large);
	before = arena->next;
	len = strlen(json_print(arena, object));
	CU_ASSERT(len == LARGE + strlen("{\"large\":\"\"}"));
	CU_ASSERT(arena->next - before <= (ptrdiff_t)len + 32);
	/* Nothing but escapes: more than the memory that was set aside. */
	memset(large, '\1', LARGE);
	CU_ASSERT(strlen(json_print(arena, object)) == 6 * LARGE + strlen("{\"large\":\"\"}"));
	unit_arena_end(&unit);
}

static void what_is_json_already_is_printed_as_it_is(void)
{
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);
	cJSON *object = cJSON_CreateObject();

	json_add_raw(object, "a", "[\"\\u00e4\"]");
	json_add_raw(object, "b", "\"b\"");
	CHECK_STRING(json_print(arena, object), "{\"a\":[\"\\u00e4\"],\"b\":\"b\"}");
	unit_arena_end(&unit);
}

static void nothing_is_printed_of_what_did_not_fit(void)
{
	char memory[512];
	struct arena arena;
	struct arena *before;
	cJSON *object;

	arena_init_fixed(&arena, memory, sizeof(memory));
	before = arena_enter(&arena);
	object = cJSON_CreateObject();
	json_add_raw(object, "a", NULL);
	json_add_string(object, "long", "0123456789012345678901234567890123456789012345678901234567890123456789");
	while (arena.state == ARENA_OK && arena.left > 100)
		(void)arena_alloc(&arena, 16);
	CU_ASSERT(json_print(&arena, object) == NULL && arena.state == ARENA_OVER_MAX);
	CU_ASSERT(json_print(&arena, object) == NULL);
	arena_enter(before);
}

int add_json_suite(void)
{
	static const struct unit_test tests[] = {
		{"what is not JSON is refused", what_is_not_json_is_refused},
		{"deep nesting is an error, not a crash", deep_nesting_is_an_error_not_a_crash},
		{"a full arena is not reported as bad JSON", a_full_arena_is_not_reported_as_bad_json},
		{"members are found by their exact name and type", members_are_found_by_their_exact_name_and_type},
		{"whole numbers are read within their bounds", whole_numbers_are_read_within_their_bounds},
		{"objects are compared except for what is skipped", objects_are_compared_except_for_what_is_skipped},
		{"comparing many members takes one walk", comparing_many_members_takes_one_walk},
		{"what is printed takes the memory of its text", what_is_printed_takes_the_memory_of_its_text},
		{"what is JSON already is printed as it is", what_is_json_already_is_printed_as_it_is},
		{"nothing is printed of what did not fit", nothing_is_printed_of_what_did_not_fit},
		{NULL, NULL},
	};

	return add_suite("json", tests);
}
