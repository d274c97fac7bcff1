/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/json.h"
#include "core/patch.h"
#include "core/verdict.h"
#include "suites.h"
#include "unit.h"

static void a_denial_has_one_shape_and_the_first_counts(void)
{
	struct unit_arena unit;
	struct verdict verdict = {.arena = unit_arena_begin(&unit), .object = "StatefulSet ml/trainer"};

	CU_ASSERT(verdict_deny(&verdict, "spec.replicas", verdict_number(&verdict, 7), "must be %d", 3) == -1);
	CU_ASSERT(verdict_deny(&verdict, "a", "b", "c") == -1);
	CHECK_STRING(verdict.denial, "StatefulSet ml/trainer: spec.replicas is 7: must be 3");
	unit_arena_end(&unit);
}

static void warnings_stay_within_their_limits(void)
{
	struct unit_arena unit;
	struct verdict verdict = {.arena = unit_arena_begin(&unit), .object = "x"};
	char text[400];
	size_t sum = 0;
	const cJSON *item;

	for (size_t i = 0; i + 2 < sizeof(text); i += 2)
		memcpy(text + i, "\xc3\xa4", 3);
	for (int i = 0; i < 100; i++)
		verdict_warn(&verdict, "%s%s", i % 2 ? "x" : "", text);
	cJSON_ArrayForEach (item, verdict.warnings) {
		CU_ASSERT(strlen(item->valuestring) <= WARNING_MAX);
		sum += strlen(item->valuestring);
	}
	CU_ASSERT(sum > 3900 && sum <= WARNINGS_MAX);
	unit_arena_end(&unit);
}

static void paths_escape_tilde_and_slash(void)
{
	struct unit_arena unit;
	struct verdict verdict = {.arena = unit_arena_begin(&unit), .object = "x"};

	CHECK_STRING(patch_path(&verdict, "/a", "b~c/d~1"), "/a/b~0c~1d~01");
	CHECK_STRING(patch_path(&verdict, "", "x"), "/x");
	CHECK_STRING(patch_position(&verdict, "/env", 3), "/env/3");
	unit_arena_end(&unit);
}

static void members_are_set_with_just_the_operations_needed(void)
{
	static const struct {
		const char *object; /* its member "m" is the map */
		const char *value;
		const char *patch; /* NULL: none */
	} rows[] = {
		{"{}", "v",
		 "[{\"op\":\"add\",\"path\":\"/m\",\"value\":{}},{\"op\":\"add\",\"path\":\"/m/"
		 "a~1b\",\"value\":\"v\"}]"},
		{"{\"m\":null}", "v",
		 "[{\"op\":\"add\",\"path\":\"/m\",\"value\":{}},{\"op\":\"add\",\"path\":\"/m/"
		 "a~1b\",\"value\":\"v\"}]"},
		{"{\"m\":{}}", "v", "[{\"op\":\"add\",\"path\":\"/m/a~1b\",\"value\":\"v\"}]"},
		{"{\"m\":{\"a/b\":\"u\"}}", "v", "[{\"op\":\"add\",\"path\":\"/m/a~1b\",\"value\":\"v\"}]"},
		{"{\"m\":{\"a/b\":\"v\"}}", "v", NULL},
		{"{\"m\":{\"a/b\":\"v\"}}", NULL, "[{\"op\":\"remove\",\"path\":\"/m/a~1b\"}]"},
		{"{\"m\":{}}", NULL, NULL},
		{"{}", NULL, NULL},
	};
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct verdict verdict = {.arena = arena, .object = "x"};
		cJSON *object = json_parse(arena, rows[i].object, strlen(rows[i].object), NULL);

		patch_set_string(&verdict, "/m", json_get(object, "m"), "a/b", rows[i].value);
		if (rows[i].patch) {
			CHECK_STRING(cJSON_PrintUnformatted(verdict.patch), rows[i].patch);
		} else {
			CHECK_ROW(verdict.patch == NULL, rows[i].object);
		}
	}
	unit_arena_end(&unit);
}

int add_verdict_suite(void)
{
	static const struct unit_test tests[] = {
		{"a denial has one shape and the first counts", a_denial_has_one_shape_and_the_first_counts},
		{"warnings stay within their limits", warnings_stay_within_their_limits},
		{"paths escape ~ and /", paths_escape_tilde_and_slash},
		{"members are set with just the operations needed", members_are_set_with_just_the_operations_needed},
		{NULL, NULL},
	};

	return add_suite("verdict and patch", tests);
}
