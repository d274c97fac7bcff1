/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/json.h"
#include "core/service_advice.h"
#include "core/statefulset.h"
#include "suites.h"
#include "unit.h"

#define SOUND "\"clusterIP\":\"None\",\"publishNotReadyAddresses\":true"

/*
 * What is said of a Service with this spec (NULL: none) that a set with the labels app=trainer and tier=x names, which
 * has these annotations itself, or on its template.
 */
static void check_annotated(const char *own, const char *of_template, const char *spec, const char *expected)
{
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);
	const char *text = arena_printf(arena,
					"{\"metadata\":{\"annotations\":{%s}},\"spec\":{\"template\":{\"metadata\":{"
					"\"annotations\":{%s},\"labels\":{\"app\":\"trainer\",\"tier\":\"x\","
					"\"n\":1}}}}}",
					own, of_template);
	struct workload set = workload_of(&statefulset_kind, json_parse(arena, text, strlen(text), NULL));
	struct verdict verdict = {.arena = arena, .object = "StatefulSet ml/trainer"};
	char *service = spec ? arena_printf(arena, "{\"spec\":{%s}}", spec) : NULL;
	const char *found;

	service_advice_give(&set, "hl", service ? json_parse(arena, service, strlen(service), NULL) : NULL, &verdict);
	found = verdict.warnings ? cJSON_PrintUnformatted(verdict.warnings) : "[]";
	CHECK_STRING(found, expected);
	CU_ASSERT(verdict.denial == NULL);
	unit_arena_end(&unit);
}

static void check(const char *spec, const char *expected)
{
	check_annotated("", "", spec, expected);
}

static void a_sound_service_is_passed_in_silence(void)
{
	check(SOUND ",\"selector\":{\"app\":\"trainer\"}", "[]");
	check(SOUND ",\"selector\":{\"app\":\"trainer\",\"tier\":\"x\",\"tfconfig.dev/inject\":\"true\"}", "[]");
}

static void what_hides_pods_is_told(void)
{
	check(NULL, "[\"the pods find each other by a headless Service, which is missing: Service hl\"]");
	check("\"publishNotReadyAddresses\":true,\"selector\":{\"app\":\"trainer\"}",
	      "[\"a Service with a cluster IP gives pods no names: set clusterIP: None on Service hl\"]");
	check("\"clusterIP\":\"10.0.0.1\",\"publishNotReadyAddresses\":true,\"selector\":{\"app\":\"trainer\"}",
	      "[\"a Service with a cluster IP gives pods no names: set clusterIP: None on Service hl\"]");
	check("\"clusterIP\":\"None\",\"selector\":{\"app\":\"trainer\"}",
	      "[\"no pod has a name before it is ready: set publishNotReadyAddresses: true on Service hl\"]");
	check("\"clusterIP\":\"None\",\"publishNotReadyAddresses\":\"true\",\"selector\":{\"app\":\"trainer\"}",
	      "[\"no pod has a name before it is ready: set publishNotReadyAddresses: true on Service hl\"]");
}

static void the_selector_must_select(void)
{
	check(SOUND, "[\"a Service without a selector gives pods no names: Service hl\"]");
	check(SOUND ",\"selector\":{}", "[\"a Service without a selector gives pods no names: Service hl\"]");
	check(SOUND ",\"selector\":{\"app\":\"trainer\",\"tier\":\"y\"}",
	      "[\"the pods are not selected by tier=y, as their template lacks it: Service hl\"]");
	check(SOUND ",\"selector\":{\"n\":\"1\"}",
	      "[\"the pods are not selected by n=1, as their template lacks it: Service hl\"]");
	check(SOUND ",\"selector\":{\"tfconfig.dev/role\":\"chief\"}",
	      "[\"the pods are not selected by tfconfig.dev/role=chief, as their template lacks it: Service hl\"]");
	check(SOUND ",\"selector\":{\"tfconfig.dev/inject\":\"false\"}",
	      "[\"the pods are not selected by tfconfig.dev/inject=false, as their template lacks it: Service hl\"]");
}

static void a_set_that_waits_is_told_what_that_comes_to(void)
{
	static const char yes[] = "\"tfconfig.dev/wait\":\"true\"";
	static const char hiding[] = "\"clusterIP\":\"None\",\"selector\":{\"app\":\"trainer\"}";
	static const char waits[] =
		"[\"tfconfig.dev/wait waits forever: set publishNotReadyAddresses: true on Service hl\"]";

	check_annotated(yes, "", hiding, waits);
	check_annotated("", yes, hiding, waits);
	check_annotated(yes, "", SOUND ",\"selector\":{\"app\":\"trainer\"}", "[]");
	check_annotated("\"tfconfig.dev/wait\":\"false\"", "", hiding,
			"[\"no pod has a name before it is ready: set publishNotReadyAddresses: true on Service hl\"]");
}

int add_service_advice_suite(void)
{
	static const struct unit_test tests[] = {
		{"a sound Service is passed in silence", a_sound_service_is_passed_in_silence},
		{"what hides the pods is told", what_hides_pods_is_told},
		{"the selector must select the pods", the_selector_must_select},
		{"a set that waits is told what that comes to", a_set_that_waits_is_told_what_that_comes_to},
		{NULL, NULL},
	};

	return add_suite("service_advice", tests);
}
