/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/json.h"
#include "core/inject.h"
#include "suites.h"
#include "unit.h"

#define ENTRY(value) "{\"name\":\"TF_CONFIG\",\"value\":\"" value "\"}"
#define OTHER        "{\"name\":\"A\",\"value\":\"$(TF_CONFIG)\"}"

static void a_container_gets_the_value(void)
{
	static const struct {
		const char *container;
		bool overwrite;
		const char *patch;
	} rows[] = {
		{"{}", false, "[{\"op\":\"add\",\"path\":\"/c/env\",\"value\":[" ENTRY("v") "]}]"},
		{"{\"env\":null}", false, "[{\"op\":\"add\",\"path\":\"/c/env\",\"value\":[" ENTRY("v") "]}]"},
		{"{\"env\":[]}", false, "[{\"op\":\"add\",\"path\":\"/c/env/0\",\"value\":" ENTRY("v") "}]"},
		{"{\"env\":[" OTHER "]}", false, "[{\"op\":\"add\",\"path\":\"/c/env/0\",\"value\":" ENTRY("v") "}]"},
		{"{\"env\":[" ENTRY("own") "]}", false, ""},
		{"{\"env\":[" ENTRY("v") "]}", true, ""},
		{"{\"env\":[" OTHER "," ENTRY("own") "]}", true,
		 "[{\"op\":\"replace\",\"path\":\"/c/env/1\",\"value\":" ENTRY("v") "}]"},
		{"{\"env\":[" ENTRY("1") "," OTHER "," ENTRY("2") "," ENTRY("v") "]}", true,
		 "[{\"op\":\"remove\",\"path\":\"/c/env/2\"},{\"op\":\"remove\",\"path\":\"/c/env/0\"}]"},
		{"{\"env\":[{\"name\":\"TF_CONFIG\",\"value\":\"v\",\"valueFrom\":{}}]}", true,
		 "[{\"op\":\"replace\",\"path\":\"/c/env/0\",\"value\":" ENTRY("v") "}]"},
		{"{\"env\":[1,\"TF_CONFIG\",{\"name\":null}]}", true,
		 "[{\"op\":\"add\",\"path\":\"/c/env/0\",\"value\":" ENTRY("v") "}]"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct unit_arena unit;
		struct verdict verdict = {.arena = unit_arena_begin(&unit)};
		const cJSON *container = json_parse(verdict.arena, rows[i].container, strlen(rows[i].container), NULL);

		inject_variable(container, "/c", "v", rows[i].overwrite, &verdict);
		CHECK_STRING(verdict.patch ? json_print(verdict.arena, verdict.patch) : "", rows[i].patch);
		unit_arena_end(&unit);
	}
}

static void without_a_path_nothing_is_added(void)
{
	struct unit_arena unit;
	struct verdict verdict = {.arena = unit_arena_begin(&unit)};

	inject_variable(json_parse(verdict.arena, "{}", 2, NULL), NULL, "v", false, &verdict);
	CU_ASSERT_PTR_NULL(verdict.patch);
	unit_arena_end(&unit);
}

int add_inject_suite(void)
{
	static const struct unit_test tests[] = {
		{"a container gets the value", a_container_gets_the_value},
		{"without a path nothing is added", without_a_path_nothing_is_added},
		{0},
	};

	return add_suite("inject", tests);
}
