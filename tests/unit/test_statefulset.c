/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/json.h"
#include "core/kinds.h"
#include "core/statefulset.h"
#include "suites.h"
#include "unit.h"

static void the_ordinal_follows_the_sets_name(void)
{
	static const struct {
		const char *pod;
		const char *set;
		bool good;
		unsigned ordinal;
	} rows[] = {
		{"trainer-0", "trainer", true, 0},
		{"trainer-12", "trainer", true, 12},
		{"a-1-0", "a-1", true, 0},
		{"a-1-0", "a", false, 0},
		{"b-0", "a", false, 0},
		{"a-01", "a", false, 0},
		{"a-", "a", false, 0},
		{"a", "a", false, 0},
		{"a0", "a", false, 0},
		{"a--1", "a", false, 0},
		{"a-x", "a", false, 0},
		{"a-1x", "a", false, 0},
		{"a-2147483647", "a", true, 2147483647},
		{"a-2147483648", "a", false, 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		unsigned ordinal = 0;
		bool good = statefulset_parse_ordinal(rows[i].pod, rows[i].set, &ordinal);

		CHECK_ROW(good == rows[i].good && ordinal == rows[i].ordinal, rows[i].pod);
	}
}

static struct workload set_with(struct arena *arena, const char *spec)
{
	const char *text = arena_printf(arena, "{\"spec\":{%s}}", spec);

	return workload_of(&statefulset_kind, json_parse(arena, text, strlen(text), NULL));
}

/* What is read of a set with this spec; the denial's end where it is denied. */
static const char *read_size(struct arena *arena, const char *spec, unsigned *ret_size, unsigned *ret_first)
{
	const struct workload set = set_with(arena, spec);
	struct verdict verdict = {.arena = arena, .object = "it"};

	*ret_size = *ret_first = 99;
	return statefulset_kind.read_size(&set, &verdict, ret_size, ret_first) < 0 ? verdict.denial : NULL;
}

static void the_size_stands_in_replicas_and_ordinals(void)
{
	static const struct {
		const char *spec;
		const char *denial; /* NULL: none */
		unsigned size, first;
	} rows[] = {
		{"", NULL, 1, 0},
		{"\"replicas\":null", NULL, 1, 0},
		{"\"replicas\":0", NULL, 0, 0},
		{"\"replicas\":3,\"ordinals\":{}", NULL, 3, 0},
		{"\"replicas\":3,\"ordinals\":{\"start\":5}", NULL, 3, 5},
		{"\"replicas\":1,\"ordinals\":{\"start\":2147483646}", NULL, 1, 2147483646},
		{"\"replicas\":-1", "it: spec.replicas is -1: ", 99, 99},
		{"\"replicas\":\"3\"", "it: spec.replicas is \"3\": ", 99, 99},
		{"\"ordinals\":{\"start\":1.5}", "it: spec.ordinals.start is 1.5: ", 99, 99},
		{"\"replicas\":2,\"ordinals\":{\"start\":2147483646}", "it: spec.ordinals.start is 2147483646: ", 99,
		 99},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct unit_arena unit;
		unsigned size, first;
		const char *denial = read_size(unit_arena_begin(&unit), rows[i].spec, &size, &first);

		CHECK_ROW(size == rows[i].size && first == rows[i].first, rows[i].spec);
		CHECK_ROW(rows[i].denial ? denial && strncmp(denial, rows[i].denial, strlen(rows[i].denial)) == 0
					 : !denial,
			  rows[i].spec);
		unit_arena_end(&unit);
	}
}

static void the_shape_is_size_start_and_service(void)
{
	static const struct {
		const char *a, *b;
		bool same;
	} rows[] = {
		{"", "\"replicas\":1,\"serviceName\":\"\"", true},
		{"\"replicas\":2", "\"replicas\":3", false},
		{"\"ordinals\":{\"start\":0}", "", true},
		{"\"ordinals\":{\"start\":1}", "", false},
		{"\"serviceName\":\"a\"", "\"serviceName\":\"b\"", false},
		{"\"updateStrategy\":{\"type\":\"OnDelete\"}", "", true},
		{"\"replicas\":\"x\"", "\"replicas\":\"x\"", false},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct unit_arena unit;
		struct arena *arena = unit_arena_begin(&unit);
		const struct workload a = set_with(arena, rows[i].a);
		const struct workload b = set_with(arena, rows[i].b);

		CHECK_ROW(statefulset_kind.is_same_shape(&a, &b) == rows[i].same, rows[i].a);
		unit_arena_end(&unit);
	}
}

static void how_pods_start_and_come_by_a_template(void)
{
	static const struct {
		const char *spec;
		bool ordered, rolls;
	} rows[] = {
		{"", true, true},
		{"\"podManagementPolicy\":\"OrderedReady\"", true, true},
		{"\"podManagementPolicy\":\"Parallel\"", false, true},
		{"\"updateStrategy\":{\"type\":\"RollingUpdate\"}", true, true},
		{"\"updateStrategy\":{\"type\":\"OnDelete\"}", true, false},
		{"\"updateStrategy\":{\"rollingUpdate\":{\"partition\":0}}", true, true},
		{"\"updateStrategy\":{\"rollingUpdate\":{\"partition\":1}}", true, false},
		{"\"updateStrategy\":{\"rollingUpdate\":{\"partition\":\"1\"}}", true, false},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct unit_arena unit;
		const struct workload set = set_with(unit_arena_begin(&unit), rows[i].spec);

		CHECK_ROW(statefulset_kind.is_ordered(&set) == rows[i].ordered, rows[i].spec);
		CHECK_ROW(statefulset_kind.rolls(&set) == rows[i].rolls, rows[i].spec);
		unit_arena_end(&unit);
	}
}

static void a_kind_is_found_by_resource_and_by_object(void)
{
	CU_ASSERT(kind_of_resource("apps", "statefulsets") == &statefulset_kind);
	CU_ASSERT(!kind_of_resource("", "statefulsets") && !kind_of_resource("apps", "deployments"));
	CU_ASSERT(kind_of_object("StatefulSet", "apps/v1") == &statefulset_kind);
	CU_ASSERT(kind_of_object("StatefulSet", "apps/v2") == &statefulset_kind);
	CU_ASSERT(!kind_of_object("StatefulSet", "apps") && !kind_of_object("StatefulSet", "appsx/v1"));
	CU_ASSERT(!kind_of_object("ReplicaSet", "apps/v1") && !kind_of_object("StatefulSet", "example.com/v1"));
	CU_ASSERT(!kind_of_object(NULL, "apps/v1") && !kind_of_object("StatefulSet", NULL));
}

int add_statefulset_suite(void)
{
	static const struct unit_test tests[] = {
		{"the ordinal follows the set's name", the_ordinal_follows_the_sets_name},
		{"the size stands in replicas and ordinals", the_size_stands_in_replicas_and_ordinals},
		{"the shape is size, start and service", the_shape_is_size_start_and_service},
		{"how pods start and come by a template", how_pods_start_and_come_by_a_template},
		{"a kind is found by resource and by object", a_kind_is_found_by_resource_and_by_object},
		{0},
	};

	return add_suite("statefulset", tests);
}
