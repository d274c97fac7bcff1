/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/json.h"
#include "render/apply.h"
#include "suites.h"
#include "unit.h"

static cJSON *parse(struct arena *arena, const char *text)
{
	return json_parse(arena, text, strlen(text), NULL);
}

/* `expected` NULL: the patch can't be applied. */
static void check(const char *tree, const char *patch, const char *expected)
{
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);
	cJSON *object = parse(arena, tree);
	int result = apply_patch(object, parse(arena, patch));

	CHECK_ROW((result == 0) == (expected != NULL), patch);
	if (result == 0 && expected)
		CHECK_STRING(cJSON_PrintUnformatted(object), expected);
	unit_arena_end(&unit);
}

static void operations(void)
{
	check("{}", "[]", "{}");
	check("{}",
	      "[{\"op\":\"add\",\"path\":\"/a\",\"value\":{}},{\"op\":\"add\",\"path\":\"/a/b~1c~0d\",\"value\":1}]",
	      "{\"a\":{\"b/c~d\":1}}");
	check("{\"a\":1}", "[{\"op\":\"add\",\"path\":\"/a\",\"value\":2}]", "{\"a\":2}");
	check("{\"a\":1}", "[{\"op\":\"replace\",\"path\":\"/a\",\"value\":[2]}]", "{\"a\":[2]}");
	check("{\"a\":1,\"b\":2}", "[{\"op\":\"remove\",\"path\":\"/a\"}]", "{\"b\":2}");
	check("{\"l\":[1,2]}", "[{\"op\":\"add\",\"path\":\"/l/0\",\"value\":0}]", "{\"l\":[0,1,2]}");
	check("{\"l\":[1,2]}", "[{\"op\":\"add\",\"path\":\"/l/2\",\"value\":3}]", "{\"l\":[1,2,3]}");
	check("{\"l\":[1,2]}", "[{\"op\":\"add\",\"path\":\"/l/-\",\"value\":3}]", "{\"l\":[1,2,3]}");
	check("{\"l\":[]}", "[{\"op\":\"add\",\"path\":\"/l/-\",\"value\":3}]", "{\"l\":[3]}");
	check("{\"l\":[1,2]}", "[{\"op\":\"replace\",\"path\":\"/l/1\",\"value\":3}]", "{\"l\":[1,3]}");
	check("{\"l\":[{\"a\":1}]}", "[{\"op\":\"remove\",\"path\":\"/l/0/a\"}]", "{\"l\":[{}]}");
	check("{\"l\":[1,2]}", "[{\"op\":\"remove\",\"path\":\"/l/0\"}]", "{\"l\":[2]}");
}

static void an_operation_without_a_target_is_refused(void)
{
	check("{}", "[{\"op\":\"remove\",\"path\":\"/a\"}]", NULL);
	check("{}", "[{\"op\":\"replace\",\"path\":\"/a\",\"value\":1}]", NULL);
	check("{}", "[{\"op\":\"add\",\"path\":\"/a/b\",\"value\":1}]", NULL);
	check("{\"l\":[]}", "[{\"op\":\"add\",\"path\":\"/l/1\",\"value\":1}]", NULL);
	check("{\"l\":[1]}", "[{\"op\":\"replace\",\"path\":\"/l/-\",\"value\":1}]", NULL);
	check("{\"l\":[]}", "[{\"op\":\"add\",\"path\":\"/l/x\",\"value\":1}]", NULL);
	check("{\"a\":1}", "[{\"op\":\"add\",\"path\":\"/a/b\",\"value\":1}]", NULL);
	check("{\"a\":1}", "[{\"op\":\"test\",\"path\":\"/a\",\"value\":1}]", NULL);
	check("{\"a\":1}", "[{\"op\":\"add\",\"path\":\"a\",\"value\":1}]", NULL);
	check("{\"a\":1}", "[{\"path\":\"/a\",\"value\":1}]", NULL);
}

int add_apply_suite(void)
{
	static const struct unit_test tests[] = {
		{"operations are applied", operations},
		{"an operation without a target is refused", an_operation_without_a_target_is_refused},
		{NULL, NULL},
	};

	return add_suite("apply", tests);
}
