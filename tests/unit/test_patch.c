/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/json.h"
#include "core/patch.h"
#include "suites.h"
#include "unit.h"

static const char *patch_text(const struct verdict *verdict)
{
	return verdict->patch ? json_print(verdict->arena, verdict->patch) : "";
}

static void names_are_escaped_in_paths(void)
{
	struct unit_arena unit;
	const struct verdict verdict = {.arena = unit_arena_begin(&unit)};

	CHECK_STRING(patch_path(&verdict, "/metadata/labels", "tfconfig.dev/role"),
		     "/metadata/labels/tfconfig.dev~1role");
	CHECK_STRING(patch_path(&verdict, "", "a~b/~1"), "/a~0b~1~01");
	CHECK_STRING(patch_position(&verdict, "/env", 12), "/env/12");
	unit_arena_end(&unit);
}

static void a_member_becomes_a_string_by_what_that_needs(void)
{
	static const struct {
		const char *map; /* NULL: absent */
		const char *value;
		const char *patch;
	} rows[] = {
		{NULL, "x",
		 "[{\"op\":\"add\",\"path\":\"/m\",\"value\":{}},{\"op\":\"add\",\"path\":\"/m/a\",\"value\":\"x\"}]"},
		{"null", "x",
		 "[{\"op\":\"add\",\"path\":\"/m\",\"value\":{}},{\"op\":\"add\",\"path\":\"/m/a\",\"value\":\"x\"}]"},
		{"{}", "x", "[{\"op\":\"add\",\"path\":\"/m/a\",\"value\":\"x\"}]"},
		{"{\"a\":\"y\"}", "x", "[{\"op\":\"add\",\"path\":\"/m/a\",\"value\":\"x\"}]"},
		{"{\"a\":1}", "x", "[{\"op\":\"add\",\"path\":\"/m/a\",\"value\":\"x\"}]"},
		{"{\"a\":\"x\"}", "x", ""},
		{"{\"a\":\"x\"}", NULL, "[{\"op\":\"remove\",\"path\":\"/m/a\"}]"},
		{"{\"a\":null}", NULL, "[{\"op\":\"remove\",\"path\":\"/m/a\"}]"},
		{"{}", NULL, ""},
		{NULL, NULL, ""},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct unit_arena unit;
		struct verdict verdict = {.arena = unit_arena_begin(&unit)};
		const cJSON *map =
			rows[i].map ? json_parse(verdict.arena, rows[i].map, strlen(rows[i].map), NULL) : NULL;

		patch_set_string(&verdict, "/m", map, "a", rows[i].value);
		CHECK_STRING(patch_text(&verdict), rows[i].patch);
		unit_arena_end(&unit);
	}
}

static void operations_come_in_the_order_of_the_calls(void)
{
	struct unit_arena unit;
	struct verdict verdict = {.arena = unit_arena_begin(&unit)};

	patch_replace(&verdict, "/b", cJSON_CreateTrue());
	patch_remove(&verdict, "/a");
	CHECK_STRING(patch_text(&verdict),
		     "[{\"op\":\"replace\",\"path\":\"/b\",\"value\":true},{\"op\":\"remove\",\"path\":\"/a\"}]");
	unit_arena_end(&unit);
}

int add_patch_suite(void)
{
	static const struct unit_test tests[] = {
		{"names are escaped in paths", names_are_escaped_in_paths},
		{"a member becomes a string by what that needs", a_member_becomes_a_string_by_what_that_needs},
		{"operations come in the order of the calls", operations_come_in_the_order_of_the_calls},
		{0},
	};

	return add_suite("patch", tests);
}
