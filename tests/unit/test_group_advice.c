/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/json.h"
#include "core/group_advice.h"
#include "core/statefulset.h"
#include "suites.h"
#include "unit.h"

#define LINE "chief=m-chief.m:1,worker=m-worker.m:4"
#define STAMP                                                                                  \
	"{\"version\":1,\"group\":\"%s\",\"start\":0,\"followsReplicas\":false,\"port\":2222," \
	"\"address\":\"fqdn\",\"domain\":\"\",\"sparse\":false,\"overwrite\":false}"

/* What m-chief is told of m-worker, which has these annotations behind inject, this Service and these replicas. */
static void check(const char *annotations, const char *service, unsigned replicas, const char *expected)
{
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);
	struct verdict verdict = {.arena = arena, .object = "StatefulSet ml/m-chief"};
	char *stamp_text = arena_printf(arena, STAMP, LINE);
	char *text = arena_printf(arena,
				  "{\"metadata\":{\"name\":\"m-worker\",\"annotations\":{%s}},"
				  "\"spec\":{\"serviceName\":\"%s\",\"replicas\":%u,\"template\":{}}}",
				  annotations, service, replicas);
	struct stamp stamp;
	int version;

	CU_ASSERT(stamp_decode(arena, stamp_text, &stamp, &version, NULL) == 0);
	group_advice_give(&stamp, &statefulset_kind, json_parse(arena, text, strlen(text), NULL), &verdict);
	CHECK_STRING(verdict.warnings ? cJSON_PrintUnformatted(verdict.warnings) : "[]", expected);
	unit_arena_end(&unit);
}

#define INJECT  "\"tfconfig.dev/inject\":\"true\""
#define CLUSTER INJECT ",\"tfconfig.dev/cluster\":"
#define SAME    CLUSTER "\"" LINE "\""

static void a_set_that_says_the_same_is_passed_in_silence(void)
{
	check(SAME, "m", 4, "[]");
	check(CLUSTER "\"chief=m-chief:1,worker=m-worker:4\"", "m", 4, "[]");
	check(CLUSTER "\" chief=m-chief.m:1, worker=m-worker.m:1,worker=m-worker.m:3\"", "m", 4, "[]");
	check(SAME ",\"tfconfig.dev/port\":\"2222\",\"tfconfig.dev/overwrite\":\"true\"", "m", 4, "[]");
}

static void what_differs_is_told(void)
{
	static const char not_injected[] =
		"[\"another set of the group needs tfconfig.dev/inject: \\\"true\\\" too: StatefulSet m-worker\"]";
	static const char another_line[] =
		"[\"tfconfig.dev/cluster must be the same line on each set of the group: StatefulSet m-worker\"]";

	check("", "m", 4, not_injected);
	check("\"tfconfig.dev/inject\":\"false\"", "m", 4, not_injected);
	check(INJECT, "m", 4, another_line);
	check(CLUSTER "\"worker:4\"", "m", 4, another_line);
	check(CLUSTER "\"worker=m-worker.m:4,chief=m-chief.m:1\"", "m", 4, another_line);
	check(CLUSTER "\"chief=m-chief.m:1,worker=m-worker.m:4,ps=m-ps.m:1\"", "m", 4, another_line);
	check(SAME, "m", 3, "[\"the group counts 4 pods of a set whose spec.replicas is 3: StatefulSet m-worker\"]");
	check(CLUSTER "\"chief=m-chief.m:1,worker=m-worker.m:3\"", "m", 3,
	      "[\"the group counts 4 pods of a set whose spec.replicas is 3: StatefulSet m-worker\","
	      "\"tfconfig.dev/cluster must be the same line on each set of the group: StatefulSet m-worker\"]");
	check(SAME, "n", 4,
	      "[\"the group names Service m for a set whose spec.serviceName is n: StatefulSet m-worker\"]");
	check(SAME ",\"tfconfig.dev/port\":\"2223\"", "m", 4,
	      "[\"tfconfig.dev/port must be the same on each set of the group: StatefulSet m-worker\"]");
	check(SAME ",\"tfconfig.dev/address\":\"short\"", "m", 4,
	      "[\"tfconfig.dev/address must be the same on each set of the group: StatefulSet m-worker\"]");
	check(SAME ",\"tfconfig.dev/rpc-layer\":\"grpc\"", "m", 4,
	      "[\"tfconfig.dev/rpc-layer must be the same on each set of the group: StatefulSet m-worker\"]");
}

static void what_is_denied_by_itself_is_left_to_that(void)
{
	check(SAME ",\"tfconfig.dev/port\":\"x y\"", "m", 4, "[]");
	check(SAME ",\"tfconfig.dev/prot\":\"1\"", "m", 4, "[]");
}

int add_group_advice_suite(void)
{
	static const struct unit_test tests[] = {
		{"a set that says the same is passed in silence", a_set_that_says_the_same_is_passed_in_silence},
		{"what differs is told", what_differs_is_told},
		{"what is denied by itself is left to that", what_is_denied_by_itself_is_left_to_that},
		{NULL, NULL},
	};

	return add_suite("group_advice", tests);
}
