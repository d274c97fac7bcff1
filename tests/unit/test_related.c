/* SPDX-License-Identifier: Apache-2.0 */
#include "core/related.h"
#include "suites.h"
#include "unit.h"

static void an_object_joins_the_list_once(void)
{
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);
	struct related_list list = {.len = 0};
	const struct related *service = related_want(&list, arena, "ml", RELATED_SERVICE, "a");

	CU_ASSERT(service && service->state == RELATED_UNKNOWN);
	CU_ASSERT(related_want(&list, arena, "ml", RELATED_SERVICE, "a") == service && list.len == 1);
	CU_ASSERT(related_want(&list, arena, "ml", RELATED_STATEFUL_SET, "a") != service && list.len == 2);
	CHECK_STRING(list.namespace, "ml");
	unit_arena_end(&unit);
}

static void what_could_mean_something_else_in_a_url_does_not_join(void)
{
	static const char *const names[] = {"", "a/b", "..", "A", "a?b", "a.b"};
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);
	struct related_list list = {.len = 0};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		CHECK_ROW(!related_want(&list, arena, "ml", RELATED_SERVICE, names[i]), names[i]);
		CHECK_ROW(!related_want(&list, arena, names[i], RELATED_SERVICE, "a"), names[i]);
	}
	CU_ASSERT(list.len == 0);
	unit_arena_end(&unit);
}

static void a_full_list_takes_no_more(void)
{
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);
	struct related_list list = {.len = 0};

	for (unsigned i = 0; i < RELATED_MAX; i++)
		CU_ASSERT_PTR_NOT_NULL(
			related_want(&list, arena, "ml", RELATED_SERVICE, arena_printf(arena, "s%u", i)));
	CU_ASSERT_PTR_NULL(related_want(&list, arena, "ml", RELATED_SERVICE, "more"));
	CU_ASSERT_PTR_NOT_NULL(related_want(&list, arena, "ml", RELATED_SERVICE, "s3"));
	CU_ASSERT(list.len == RELATED_MAX);
	unit_arena_end(&unit);
}

int add_related_suite(void)
{
	static const struct unit_test tests[] = {
		{"an object joins the list once", an_object_joins_the_list_once},
		{"what could mean something else in a URL does not join",
		 what_could_mean_something_else_in_a_url_does_not_join},
		{"a full list takes no more", a_full_list_takes_no_more},
		{0},
	};

	return add_suite("related", tests);
}
