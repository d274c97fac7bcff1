/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/json.h"
#include "render/pod.h"
#include "suites.h"
#include "unit.h"

static cJSON *parse(struct arena *arena, const char *text)
{
	return json_parse(arena, text, strlen(text), NULL);
}

static void a_pod_is_made_from_the_template(void)
{
	static const char set[] = "{\"metadata\":{\"name\":\"trainer\"},\"spec\":{\"serviceName\":\"s\",\"template\":{"
				  "\"metadata\":{\"labels\":{\"app\":\"a\"},\"annotations\":{\"x\":\"y\"}},"
				  "\"spec\":{\"hostname\":\"other\",\"containers\":[]}}}}";
	static const char expected[] =
		"{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"trainer-3\",\"namespace\":\"ml\","
		"\"labels\":{\"app\":\"a\",\"apps.kubernetes.io/pod-index\":\"3\","
		"\"statefulset.kubernetes.io/pod-name\":\"trainer-3\"},\"annotations\":{\"x\":\"y\"},"
		"\"ownerReferences\":[{\"apiVersion\":\"apps/v1\",\"kind\":\"StatefulSet\",\"name\":\"trainer\","
		"\"controller\":true}]},\"spec\":{\"containers\":[],\"hostname\":\"trainer-3\",\"subdomain\":\"s\"}}";
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);

	CHECK_STRING(cJSON_PrintUnformatted(pod_make(arena, parse(arena, set), "ml", 3)), expected);
	unit_arena_end(&unit);
}

#define ENTRY "{\"name\":\"TF_CONFIG\",\"value\":\"v\"}"

static void the_value_is_in_the_patch_or_in_a_container(void)
{
	static const struct {
		const char *spec;
		const char *patch;
		const char *expected; /* "": none */
	} rows[] = {
		{"{\"containers\":[{\"name\":\"c\"}]}", "[]", ""},
		{"{\"containers\":[{\"name\":\"c\"}]}",
		 "[{\"value\":{\"name\":\"A\",\"value\":\"a\"}},{\"value\":" ENTRY "}]", "v"},
		{"{\"containers\":[{\"name\":\"c\"}]}", "[{\"value\":[" ENTRY "]}]", "v"},
		{"{\"containers\":[{\"name\":\"b\"},{\"name\":\"c\",\"env\":[" ENTRY "]}]}", "[]", "v"},
		{"{\"initContainers\":[{\"name\":\"c\",\"env\":[" ENTRY "]}],\"containers\":[]}", "[]", ""},
	};
	const struct container_list every = {0};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct unit_arena unit;
		struct arena *arena = unit_arena_begin(&unit);
		cJSON *pod = cJSON_CreateObject();
		const char *value;

		cJSON_AddItemToObject(pod, "spec", parse(arena, rows[i].spec));
		value = pod_tf_config(pod, parse(arena, rows[i].patch), &every);
		CHECK_STRING(value ? value : "", rows[i].expected);
		unit_arena_end(&unit);
	}
}

int add_pod_suite(void)
{
	static const struct unit_test tests[] = {
		{"a pod is made from the template", a_pod_is_made_from_the_template},
		{"the value is in the patch or in a container", the_value_is_in_the_patch_or_in_a_container},
		{NULL, NULL},
	};

	return add_suite("pod", tests);
}
