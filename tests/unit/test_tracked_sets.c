/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "cluster/tracked_sets.h"
#include "suites.h"
#include "unit.h"

static void a_set_is_found_by_its_namespace_and_name(void)
{
	struct tracked_sets all = {0};
	struct tracked_set *one = tracked_sets_add(&all, "ml", "trainer");

	CU_ASSERT_PTR_NULL(tracked_sets_find(&all, "ml", "other"));
	CU_ASSERT_PTR_NULL(tracked_sets_find(&all, "other", "trainer"));
	CU_ASSERT_PTR_EQUAL(tracked_sets_find(&all, "ml", "trainer"), one);
	CU_ASSERT_PTR_EQUAL(tracked_sets_add(&all, "ml", "trainer"), one);
	CU_ASSERT_EQUAL(all.count, 1);
	tracked_sets_drop(&all, "ml", "other");
	tracked_sets_drop(&all, "ml", "trainer");
	CU_ASSERT_EQUAL(all.count, 0);
	tracked_sets_release(&all);
}

static void many_are_kept_in_order(void)
{
	struct tracked_sets all = {0};
	char name[16];

	for (unsigned i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "set-%u", i * 7919 % 1000);
		CU_ASSERT_PTR_NOT_NULL(tracked_sets_add(&all, "ml", name));
	}
	for (unsigned i = 0; i < 1000; i += 2) {
		snprintf(name, sizeof(name), "set-%u", i);
		tracked_sets_drop(&all, "ml", name);
	}
	for (unsigned i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "set-%u", i);
		CU_ASSERT_EQUAL(tracked_sets_find(&all, "ml", name) != NULL, i % 2 == 1);
	}
	tracked_sets_release(&all);
}

static void there_is_a_bound(void)
{
	struct tracked_sets all = {0};
	char long_name[TRACKED_SETS_NAME_MAX + 2] = "";
	char name[16];

	for (unsigned i = 0; i < TRACKED_SETS_MAX; i++) {
		snprintf(name, sizeof(name), "%05u", i);
		if (!tracked_sets_add(&all, "ml", name))
			CU_FAIL("one of those that are allowed has no place");
	}
	CU_ASSERT_PTR_NULL(tracked_sets_add(&all, "ml", "another"));
	memset(long_name, 'x', TRACKED_SETS_NAME_MAX + 1);
	tracked_sets_drop(&all, "ml", "00000");
	CU_ASSERT_PTR_NULL(tracked_sets_add(&all, "ml", long_name));
	CU_ASSERT_PTR_NULL(tracked_sets_add(&all, long_name, "a"));
	CU_ASSERT_PTR_NOT_NULL(tracked_sets_add(&all, "ml", "another"));
	tracked_sets_release(&all);
}

static void what_a_list_does_not_show_is_dropped(void)
{
	struct tracked_sets all = {0};

	tracked_sets_add(&all, "ml", "a")->seen = true;
	tracked_sets_add(&all, "ml", "b")->seen = true;
	tracked_sets_begin(&all);
	tracked_sets_find(&all, "ml", "b")->seen = true;
	tracked_sets_add(&all, "ml", "c")->seen = true;
	tracked_sets_sweep(&all);
	CU_ASSERT_PTR_NULL(tracked_sets_find(&all, "ml", "a"));
	CU_ASSERT_PTR_NOT_NULL(tracked_sets_find(&all, "ml", "b"));
	CU_ASSERT_PTR_NOT_NULL(tracked_sets_find(&all, "ml", "c"));
	tracked_sets_release(&all);
}

static void the_first_that_is_due_comes_first(void)
{
	struct tracked_sets all = {0};
	enum concern_kind kind;
	struct tracked_set *a, *c;

	CU_ASSERT_PTR_NULL(tracked_sets_first(&all, &kind));
	a = tracked_sets_add(&all, "ml", "a");
	a->concerns[CONCERN_STAMP].due = 300;
	tracked_sets_add(&all, "ml", "b");
	c = tracked_sets_add(&all, "ml", "c");
	c->concerns[CONCERN_SERVICE].due = 200;
	CU_ASSERT_PTR_EQUAL(tracked_sets_first(&all, &kind), c);
	CU_ASSERT_EQUAL(kind, CONCERN_SERVICE);
	c->concerns[CONCERN_STAMP].due = 400;
	CU_ASSERT_PTR_EQUAL(tracked_sets_first(&all, &kind), c);
	CU_ASSERT_EQUAL(kind, CONCERN_SERVICE);
	c->concerns[CONCERN_STAMP].due = 200;
	CU_ASSERT_PTR_EQUAL(tracked_sets_first(&all, &kind), c);
	CU_ASSERT_EQUAL(kind, CONCERN_STAMP);
	c->concerns[CONCERN_STAMP].due = c->concerns[CONCERN_SERVICE].due = 0;
	CU_ASSERT_PTR_EQUAL(tracked_sets_first(&all, &kind), a);
	CU_ASSERT_EQUAL(kind, CONCERN_STAMP);
	tracked_sets_release(&all);
}

int add_tracked_sets_suite(void)
{
	static const struct unit_test tests[] = {
		{"a set is found by its namespace and name", a_set_is_found_by_its_namespace_and_name},
		{"many are kept in order", many_are_kept_in_order},
		{"there is a bound", there_is_a_bound},
		{"what a list does not show is dropped", what_a_list_does_not_show_is_dropped},
		{"the first that is due comes first", the_first_that_is_due_comes_first},
		{NULL, NULL},
	};

	return add_suite("tracked_sets", tests);
}
