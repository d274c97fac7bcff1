/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/json.h"
#include "core/stamp_check.h"
#include "core/statefulset.h"
#include "suites.h"
#include "unit.h"

#define STAMP(group, domain)                                                                                     \
	"{\\\"version\\\":1,\\\"group\\\":\\\"" group "\\\",\\\"start\\\":0,\\\"followsReplicas\\\":true,"       \
	"\\\"port\\\":2222,\\\"address\\\":\\\"fqdn\\\",\\\"domain\\\":\\\"" domain "\\\",\\\"sparse\\\":false," \
	"\\\"overwrite\\\":false}"
#define INJECT        "\"tfconfig.dev/inject\":\"true\""
#define LABEL         "\"tfconfig.dev/inject\":\"true\""
#define THREE(domain) "\"tfconfig.dev/group\":\"" STAMP("worker=trainer.hl:3", domain) "\""

/* What is made of a set with these annotations, replicas, and labels and annotations of its template. */
static void check(const char *annotations, unsigned replicas, const char *labels, const char *template_annotations,
		  struct stamp_check *ret_check, char *denial, size_t size)
{
	const struct review_config config = {.cluster_domain = "cluster.local"};
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);
	char *text = arena_printf(
		arena,
		"{\"metadata\":{\"name\":\"trainer\",\"namespace\":\"ml\",\"annotations\":{%s}},\"spec\":{"
		"\"serviceName\":\"hl\",\"replicas\":%u,\"template\":{\"metadata\":{\"labels\":{%s},\"annotations\":"
		"{%s}},\"spec\":{\"containers\":[{\"name\":\"tensorflow\"}]}}}}",
		annotations, replicas, labels, template_annotations);

	stamp_check(&statefulset_kind, json_parse(arena, text, strlen(text), NULL), &config, arena, ret_check);
	snprintf(denial, size, "%s", ret_check->denial ? ret_check->denial : "");
	CU_ASSERT_EQUAL(arena->state, ARENA_OK);
	unit_arena_end(&unit);
}

/* The state alone. */
static enum stamp_state state_of(const char *annotations, unsigned replicas, const char *labels,
				 const char *template_annotations)
{
	struct stamp_check found;
	char denial[512];

	check(annotations, replicas, labels, template_annotations, &found, denial, sizeof(denial));
	return found.state;
}

static void who_has_not_opted_in_is_left_alone(void)
{
	CU_ASSERT_EQUAL(state_of("", 3, "", ""), STAMP_NONE);
	CU_ASSERT_EQUAL(state_of("\"tfconfig.dev/inject\":\"false\"", 3, LABEL, THREE("")), STAMP_NONE);
	CU_ASSERT_EQUAL(state_of("\"tfconfig.dev/port\":\"1\"", 3, "", ""), STAMP_NONE);
	CU_ASSERT_EQUAL(
		state_of(INJECT ",\"a\":\"b\"},\"deletionTimestamp\":\"2026-01-01T00:00:00Z\",\"x\":{", 3, "", ""),
		STAMP_NONE);
}

static void a_group_that_says_the_same_is_current(void)
{
	CU_ASSERT_EQUAL(state_of(INJECT, 3, LABEL, THREE("cluster.local")), STAMP_CURRENT);
	CU_ASSERT_EQUAL(state_of(INJECT, 3, LABEL, THREE("another.domain")), STAMP_CURRENT);
	CU_ASSERT_EQUAL(state_of("", 3, LABEL, INJECT "," THREE("")), STAMP_CURRENT);
	CU_ASSERT_EQUAL(state_of(INJECT, 0, LABEL, THREE("")), STAMP_CURRENT);
}

static void another_group_is_stale(void)
{
	struct stamp_check found;
	char denial[512];

	check(INJECT, 5, LABEL, THREE(""), &found, denial, sizeof(denial));
	CU_ASSERT_EQUAL(found.state, STAMP_STALE);
	CU_ASSERT_EQUAL(found.was, 3);
	CU_ASSERT_EQUAL(found.size, 5);
	CU_ASSERT(found.restarts);
	CU_ASSERT_EQUAL(state_of(INJECT, 2, LABEL, THREE("")), STAMP_STALE);
	CU_ASSERT_EQUAL(state_of(INJECT ",\"tfconfig.dev/port\":\"3333\"", 3, LABEL, THREE("")), STAMP_STALE);
}

static void without_a_stamp_or_the_label_it_is_stale(void)
{
	struct stamp_check found;
	char denial[512];

	check(INJECT ",\"tfconfig.dev/on-scale\":\"deny\"", 3, "", "", &found, denial, sizeof(denial));
	CU_ASSERT_EQUAL(found.state, STAMP_STALE);
	CU_ASSERT_EQUAL(found.was, 0);
	CU_ASSERT(!found.restarts);
	CU_ASSERT_EQUAL(state_of(INJECT, 3, "", THREE("")), STAMP_STALE);
	CU_ASSERT_EQUAL(state_of(INJECT, 3, LABEL, "\"tfconfig.dev/group\":\"garbage\""), STAMP_STALE);
}

static void what_stage_1_would_deny_is_told(void)
{
	struct stamp_check found;
	char denial[512];

	check(INJECT ",\"tfconfig.dev/cluster\":\"chief:1,worker:2\"", 5, LABEL, THREE(""), &found, denial,
	      sizeof(denial));
	CU_ASSERT_EQUAL(found.state, STAMP_DENIED);
	CU_ASSERT_EQUAL(found.size, 0);
	CHECK_STRING(denial,
		     "StatefulSet ml/trainer: annotation tfconfig.dev/cluster is \"chief:1,worker:2\": the counts of "
		     "StatefulSet trainer add up to 3, and its spec.replicas is 5: make them equal");
	check(INJECT ",\"tfconfig.dev/prot\":\"1\"", 3, "", "", &found, denial, sizeof(denial));
	CU_ASSERT_EQUAL(found.state, STAMP_DENIED);
	CU_ASSERT(strstr(denial, "tfconfig.dev/prot is unknown") != NULL);
}

int add_stamp_check_suite(void)
{
	static const struct unit_test tests[] = {
		{"who has not opted in is left alone", who_has_not_opted_in_is_left_alone},
		{"a group that says the same is current", a_group_that_says_the_same_is_current},
		{"another group is stale", another_group_is_stale},
		{"without a stamp or the label it is stale", without_a_stamp_or_the_label_it_is_stale},
		{"what stage 1 would deny is told", what_stage_1_would_deny_is_told},
		{NULL, NULL},
	};

	return add_suite("stamp check", tests);
}
