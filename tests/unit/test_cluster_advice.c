/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "core/review.h"
#include "suites.h"
#include "unit.h"

static const struct review_config config = {.cluster_domain = "cluster.local", .wait_image = "tfconfig-webhook:1"};

/* A review of set m-chief in namespace ml, with Service m, that gives no other advice. */
#define REVIEW(operation, annotations, replicas)                                                              \
	"{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\",\"request\":{\"uid\":\"u\","    \
	"\"resource\":{\"group\":\"apps\",\"resource\":\"statefulsets\"},\"namespace\":\"ml\",\"operation\":" \
	"\"" operation "\",\"object\":" SET(annotations, replicas) ",\"oldObject\":" SET(annotations, replicas) "}}"
#define SET(annotations, replicas)                                                                        \
	"{\"metadata\":{\"name\":\"m-chief\",\"annotations\":{" annotations "}},\"spec\":{"               \
	"\"serviceName\":\"m\",\"replicas\":" replicas ",\"podManagementPolicy\":\"Parallel\","           \
	"\"template\":{\"metadata\":{\"labels\":{\"app\":\"m\"}},\"spec\":{\"enableServiceLinks\":false," \
	"\"containers\":[{\"name\":\"c\"}]}}}}"
#define INJECT  "\"tfconfig.dev/inject\":\"true\""
#define CLUSTER "\"tfconfig.dev/cluster\":\"chief=m-chief:1,worker=m-worker:1,ps=m-ps:1,worker=m-worker:1\""
#define GROUP   INJECT "," CLUSTER

#define HIDING "{\"kind\":\"Service\",\"spec\":{\"clusterIP\":\"None\",\"selector\":{\"app\":\"m\"}}}"
#define WORKER                                                                                  \
	"{\"kind\":\"StatefulSet\",\"metadata\":{\"name\":\"m-worker\",\"annotations\":{" GROUP \
	"}},\"spec\":{\"serviceName\":\"m\",\"replicas\":3,\"template\":{}}}"

#define UNREADY "\"no pod has a name before it is ready: set publishNotReadyAddresses: true on Service m\""
#define WAITS   "\"tfconfig.dev/wait waits forever: set publishNotReadyAddresses: true on Service m\""
#define MISSING "\"the pods find each other by a headless Service, which is missing: Service m\""
#define THREE   "\"the group counts 2 pods of a set whose spec.replicas is 3: StatefulSet m-worker\""

static struct review_answer answer_with(struct arena *arena, const char *body, struct related_list *related)
{
	struct review_answer answer;

	review_answer_with(arena, body, strlen(body), &config, related, &answer);
	return answer;
}

/* What a review asks for, as "kind name,". */
static void check_wanted(const char *body, const char *expected)
{
	struct related_list related = {.items = NULL};
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);
	char text[200] = "";

	CHECK_ROW(answer_with(arena, body, &related).http_status == 200, body);
	for (size_t i = 0; i < related.len; i++) {
		strcat(strcat(text, related_kind_name(related.items[i].kind)), " ");
		strcat(strcat(text, related.items[i].name), ",");
		CU_ASSERT(related.items[i].state == RELATED_UNKNOWN);
	}
	CHECK_STRING(text, expected);
	if (related.len > 0)
		CHECK_STRING(related.namespace, "ml");
	unit_arena_end(&unit);
}

static void a_review_asks_for_what_advice_depends_on_and_no_more(void)
{
	static const char group[] = "Service m,StatefulSet m-worker,StatefulSet m-ps,";

	check_wanted(REVIEW("CREATE", INJECT, "2"), "Service m,");
	check_wanted(REVIEW("CREATE", GROUP, "1"), group);
	check_wanted(REVIEW("UPDATE", GROUP, "1"), group);
	check_wanted(REVIEW("CREATE", GROUP, "0"), "Service m,");
	check_wanted(REVIEW("CREATE", GROUP, "2"), ""); /* denied */
	check_wanted(REVIEW("CREATE", CLUSTER, "1"), "");
	check_wanted(REVIEW("DELETE", GROUP, "1"), "");
	check_wanted(REVIEW("CREATE", INJECT "},\"deletionTimestamp\":\"t\",\"x\":{", "2"), "");
}

/* The warnings of a second review, when these were found (NULL: unknown; "": missing). */
static void check_advice(const char *body, const char *service, const char *worker, const char *expected)
{
	struct related items[] = {
		{.kind = RELATED_SERVICE, .name = "m", .json = service},
		{.kind = RELATED_STATEFUL_SET, .name = "m-worker", .json = worker},
		{.kind = RELATED_STATEFUL_SET, .name = "m-ps", .state = RELATED_MISSING},
	};
	struct related_list related = {.namespace = "ml", .items = items, .len = ARRAY_LEN(items)};
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);
	struct review_answer answer;
	const cJSON *response;
	const cJSON *warnings;

	for (size_t i = 0; i < 2; i++) {
		items[i].json_len = items[i].json ? strlen(items[i].json) : 0;
		items[i].state = items[i].json_len ? RELATED_FOUND : items[i].json ? RELATED_MISSING : RELATED_UNKNOWN;
	}
	answer = answer_with(arena, body, &related);
	CU_ASSERT(answer.decision == REVIEW_PATCHED);
	CU_ASSERT(related.len == ARRAY_LEN(items));
	response = json_get(json_parse(arena, answer.body, answer.body_len, NULL), "response");
	warnings = json_get(response, "warnings");
	CHECK_STRING(warnings ? cJSON_PrintUnformatted(warnings) : "[]", expected);
	unit_arena_end(&unit);
}

static void what_was_found_is_judged_and_what_is_unknown_is_not(void)
{
	const char *body = REVIEW("CREATE", GROUP, "1");

	check_advice(body, NULL, NULL, "[]");
	check_advice(body, "", "", "[" MISSING "]");
	check_advice(body, HIDING, WORKER, "[" UNREADY "," THREE "]");
	check_advice(body, NULL, WORKER, "[" THREE "]");
	check_advice(REVIEW("CREATE", GROUP ",\"tfconfig.dev/wait\":\"true\"", "1"), HIDING, NULL, "[" WAITS "]");
	check_advice(REVIEW("CREATE", GROUP ",\"tfconfig.dev/wait\":\"false\"", "1"), HIDING, NULL, "[" UNREADY "]");
	check_advice(REVIEW("CREATE", GROUP, "0"), "", WORKER, "[" MISSING "]");
}

static void a_text_that_is_no_such_object_is_unknown(void)
{
	const char *body = REVIEW("CREATE", GROUP, "1");

	check_advice(body, "x", "{", "[]");
	check_advice(body, "[]", "null", "[]");
	check_advice(body, "{\"kind\":\"Status\"}", HIDING, "[]");
	check_advice(body, WORKER, "{\"kind\":\"StatefulSet\",\"metadata\":{\"name\":\"m-else\"}}", "[]");
}

static void objects_that_are_too_large_cost_the_advice_alone(void)
{
	enum { SIZE = 256 * 1024, MEMORY = 64 * 1024 };
	char *large = malloc(SIZE + 1);
	char *memory = malloc(MEMORY);
	struct related item = {
		.kind = RELATED_SERVICE, .name = "m", .state = RELATED_FOUND, .json = large, .json_len = SIZE};
	struct related_list related = {.namespace = "ml", .items = &item, .len = 1};
	struct related_list none = {.items = NULL};
	struct review_answer answer, without;
	struct unit_arena unit;
	struct arena arena;

	if (large && memory) {
		memset(large, ' ', SIZE);
		memcpy(large, "{\"kind\":\"Service\",\"spec\":[", 26);
		for (size_t i = 26; i < SIZE - 4; i += 2)
			memcpy(large + i, "0,", 2);
		memcpy(large + SIZE - 4, "00]}", 5);
		without = answer_with(unit_arena_begin(&unit), REVIEW("CREATE", INJECT, "2"), &none);
		arena_init_fixed(&arena, memory, MEMORY);
		answer = answer_with(&arena, REVIEW("CREATE", INJECT, "2"), &related);
		CU_ASSERT(answer.http_status == 200 && answer.decision == REVIEW_PATCHED);
		CHECK_STRING(answer.body, without.body);
		unit_arena_end(&unit);
	}
	free(memory);
	free(large);
}

/* Names are borrowed, so there is a list of them. */
static void a_list_takes_each_object_once_and_16_in_all(void)
{
	static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i",
					    "j", "k", "l", "m", "n", "o", "p", "q"};
	struct related_list list = {.items = NULL};
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);
	const struct related *first = related_want(&list, arena, "ml", RELATED_SERVICE, names[0]);

	CU_ASSERT(first && related_want(&list, arena, "ml", RELATED_SERVICE, "a") == first);
	CU_ASSERT(related_want(&list, arena, "ml", RELATED_STATEFUL_SET, "a") != first);
	CU_ASSERT(list.len == 2);
	CU_ASSERT(related_want(&list, arena, "ml", RELATED_SERVICE, "a/b") == NULL);
	CU_ASSERT(related_want(&list, arena, "ml", RELATED_SERVICE, "") == NULL);
	CU_ASSERT(related_want(&list, arena, "../x", RELATED_SERVICE, "b") == NULL);
	for (size_t i = 1; i < 15; i++)
		CHECK_ROW(related_want(&list, arena, "ml", RELATED_SERVICE, names[i]) != NULL, names[i]);
	CU_ASSERT(list.len == RELATED_MAX);
	CU_ASSERT(related_want(&list, arena, "ml", RELATED_SERVICE, names[16]) == NULL);
	CU_ASSERT(related_want(&list, arena, "ml", RELATED_SERVICE, names[0]) == first);
	unit_arena_end(&unit);
}

int add_cluster_advice_suite(void)
{
	static const struct unit_test tests[] = {
		{"a review asks for what advice depends on, and no more",
		 a_review_asks_for_what_advice_depends_on_and_no_more},
		{"what was found is judged, and what is unknown is not",
		 what_was_found_is_judged_and_what_is_unknown_is_not},
		{"a text that is no such object is unknown", a_text_that_is_no_such_object_is_unknown},
		{"objects that are too large cost the advice alone", objects_that_are_too_large_cost_the_advice_alone},
		{"a list takes each object once, and 16 in all", a_list_takes_each_object_once_and_16_in_all},
		{NULL, NULL},
	};

	return add_suite("cluster_advice", tests);
}
