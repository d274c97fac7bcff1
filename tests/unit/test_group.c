/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "core/group.h"
#include "suites.h"
#include "unit.h"

#define A63 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

/* A written group on StatefulSet "trainer" behind Service "hl", and what it resolves to or the begin of the error. */
struct row {
	const char *text;
	unsigned replicas;
	unsigned start;
	const char *resolved; /* NULL: an error */
	const char *error;
};

static void check_group(struct arena *arena, const struct row *row)
{
	struct group_owner owner = {
		.set = "trainer", .service = "hl", .replicas = row->replicas, .first_ordinal = row->start};
	struct error err = {ERROR_NONE, ""};
	struct group group;
	bool follows;

	if (group_parse(arena, row->text, &group, &err) < 0 || group_resolve(&group, &owner, &follows, &err) < 0) {
		CHECK_ROW(!row->resolved && strncmp(err.message, row->error, strlen(row->error)) == 0, row->text);
		if (row->resolved || strncmp(err.message, row->error, strlen(row->error)) != 0)
			CHECK_STRING(err.message, row->error);
		return;
	}
	CHECK_ROW(row->resolved != NULL, row->text);
	CHECK_STRING(group_format(arena, &group), row->resolved);
	CHECK_ROW(follows == (strstr(row->text, "worker:*") || strstr(row->text, "=trainer:*")), row->text);
}

static void check_rows(const struct row *rows, size_t len)
{
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);

	for (size_t i = 0; i < len; i++)
		check_group(arena, &rows[i]);
	unit_arena_end(&unit);
}

static void groups_of_one_set(void)
{
	static const struct row rows[] = {
		{"worker:3", 3, 0, "worker=trainer.hl:3", NULL},
		{"chief:1,worker:3", 4, 5, "chief=trainer.hl:1,worker=trainer.hl:3", NULL},
		{" chief:1 ,\tworker:3\n", 4, 0, "chief=trainer.hl:1,worker=trainer.hl:3", NULL},
		{"chief:1,worker:*", 4, 0, "chief=trainer.hl:1,worker=trainer.hl:3", NULL},
		{"worker:*,chief:1", 4, 0, "worker=trainer.hl:3,chief=trainer.hl:1", NULL},
		{"chief:1,worker:*", 1, 0, "chief=trainer.hl:1", NULL}, /* the rest may be 0 */
		{"chief=trainer:1,worker=trainer.hl:2", 3, 0, "chief=trainer.hl:1,worker=trainer.hl:2", NULL},
		{"worker=trainer:*", 2, 7, "worker=trainer.hl:2", NULL},
		{"chief:*", 1, 0, "chief=trainer.hl:1", NULL}, /* fixed: a second chief would be denied */
		{"worker:2,evaluator:*", 3, 0, "worker=trainer.hl:2,evaluator=trainer.hl:1", NULL},
		{"worker:1,worker:2", 3, 0, "worker=trainer.hl:3", NULL}, /* neighbours join */
		{"worker:1,ps:1,worker:2", 4, 0, "worker=trainer.hl:1,ps=trainer.hl:1,worker=trainer.hl:2", NULL},
		{"chief:1,worker:2,ps:1,evaluator:1", 5, 0,
		 "chief=trainer.hl:1,worker=trainer.hl:2,ps=trainer.hl:1,evaluator=trainer.hl:1", NULL},
		{"worker:99999", 99999, 0, "worker=trainer.hl:99999", NULL},
	};

	check_rows(rows, ARRAY_LEN(rows));
}

static void groups_of_several_sets(void)
{
	static const struct row rows[] = {
		{"chief=c:1,worker=trainer:2", 2, 0, "chief=c.hl:1,worker=trainer.hl:2", NULL},
		{"chief=c.svc:1,worker=trainer.hl:2", 2, 0, "chief=c.svc:1,worker=trainer.hl:2", NULL},
		{"worker=a:2,worker=trainer:2", 2, 0, "worker=a.hl:2,worker=trainer.hl:2", NULL},
		{"chief=c:1,worker:2", 2, 0, NULL, "an entry of role worker names no StatefulSet"},
		{"chief=c:1,worker=trainer:*", 2, 0, NULL, "* is for a group of one StatefulSet"},
		{"chief=c:1,worker=w:2", 2, 0, NULL, "no entry names StatefulSet trainer itself"},
		{"chief=c:1,worker=trainer:2", 2, 1, NULL,
		 "the group spans several StatefulSets, whose pods must count"},
		{"chief=c:1,worker=trainer.other:2", 2, 0, NULL,
		 "it names Service other for StatefulSet trainer itself"},
		{"chief=c.x:1,ps=c.y:1,worker=trainer:2", 2, 0, NULL,
		 "StatefulSet c is named with two Services, x and y"},
		{"worker=trainer:2,ps=c.x:1,ps=c.y:1", 2, 0, NULL, "StatefulSet c is named with two Services, x and y"},
		{"chief=c:1,ps=c.y:1,worker=trainer:2", 2, 0, NULL,
		 "StatefulSet c is named with two Services, hl and y"},
		{"chief=c:1,worker=trainer:2", 3, 0, NULL,
		 "the counts of StatefulSet trainer add up to 2, and its "
		 "spec.replicas is 3"},
	};

	check_rows(rows, ARRAY_LEN(rows));
}

static void the_grammar_is_strict(void)
{
	static const struct row rows[] = {
		{"", 1, 0, NULL, "an entry is empty"},
		{"worker:1,", 1, 0, NULL, "an entry is empty"},
		{",worker:1", 1, 0, NULL, "an entry is empty"},
		{"worker:1,,chief:1", 2, 0, NULL, "an entry is empty"},
		{"worker", 1, 0, NULL, "entry \"worker\" has no count"},
		{"worker=a", 1, 0, NULL, "entry \"worker=a\" has no count"},
		{"master:1", 1, 0, NULL,
		 "entry \"master:1\" does not begin with a role: must be chief, worker, ps or evaluator"},
		{"Worker:1", 1, 0, NULL, "entry \"Worker:1\" does not begin with a role"},
		{"ps_hosts:1", 1, 0, NULL, "entry \"ps_hosts:1\" does not begin with a role"},
		{"worker :1", 1, 0, NULL, "entry \"worker :1\" does not begin with a role"},
		{":1", 1, 0, NULL, "entry \":1\" does not begin with a role"},
		{"worker:0", 1, 0, NULL, "entry \"worker:0\": the count must be a number from 1 to 99999"},
		{"worker:01", 1, 0, NULL, "entry \"worker:01\": the count"},
		{"worker:100000", 1, 0, NULL, "entry \"worker:100000\": the count"},
		{"worker:-1", 1, 0, NULL, "entry \"worker:-1\": the count"},
		{"worker:1.5", 1, 0, NULL, "entry \"worker:1.5\": the count"},
		{"worker:", 1, 0, NULL, "entry \"worker:\": the count"},
		{"worker:**", 1, 0, NULL, "entry \"worker:**\": the count"},
		{"worker: 1", 1, 0, NULL, "entry \"worker: 1\": the count"},
		{"worker=:1", 1, 0, NULL, "entry \"worker=:1\": the names of the StatefulSet and the Service"},
		{"worker=A:1", 1, 0, NULL, "entry \"worker=A:1\": the names"},
		{"worker=a.:1", 1, 0, NULL, "entry \"worker=a.:1\": the names"},
		{"worker=a.b.c:1", 1, 0, NULL, "entry \"worker=a.b.c:1\": the names"},
		{"worker=a$b:1", 1, 0, NULL, "entry \"worker=a$b:1\": the names"},
		{"worker=" A63 "a:1", 1, 0, NULL, "entry \"worker=aaa"},
		{"chief:*,worker:*", 2, 0, NULL, "only one entry may say *"},
	};

	check_rows(rows, ARRAY_LEN(rows));
}

static void the_roles_make_sense_together(void)
{
	static const struct row rows[] = {
		{"chief:2,worker:1", 3, 0, NULL, "it has 2 chiefs: must be at most one"},
		{"chief:1,worker:1,chief:1", 3, 0, NULL, "it has 2 chiefs"},
		{"chief:*", 3, 0, NULL, "it has 3 chiefs"},
		{"worker:1,evaluator:2", 3, 0, NULL, "it has 2 evaluators: must be at most one"},
		{"evaluator:1", 1, 0, NULL, "an evaluator alone has nothing to evaluate"},
		{"evaluator:1,worker:*", 1, 0, NULL, "an evaluator alone has nothing to evaluate"},
		{"ps:1", 1, 0, NULL, "parameter servers without a worker"},
		{"chief:1,ps:1,worker:*", 2, 0, NULL, "parameter servers without a worker"},
		{"worker:2", 3, 0, NULL, "the counts of StatefulSet trainer add up to 2, and its spec.replicas is 3"},
		{"worker:4", 3, 0, NULL, "the counts of StatefulSet trainer add up to 4, and its spec.replicas is 3"},
		{"chief:1,ps:4,worker:*", 4, 0, NULL,
		 "the counts next to * of StatefulSet trainer add up to 5, more than its spec.replicas, 4"},
	};

	check_rows(rows, ARRAY_LEN(rows));
}

static void too_many_entries_are_refused(void)
{
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);
	char text[9 * (GROUP_ENTRIES_MAX + 1) + 1];
	struct group group;
	struct error err;

	for (int i = 0; i <= GROUP_ENTRIES_MAX; i++)
		memcpy(text + 9 * i, "worker:1,", 9);
	text[9 * (GROUP_ENTRIES_MAX + 1) - 1] = '\0';
	CU_ASSERT(group_parse(arena, text, &group, &err) < 0);
	CHECK_STRING(err.message, "it has 257 entries: must be at most 256");
	text[9 * GROUP_ENTRIES_MAX - 1] = '\0';
	CU_ASSERT(group_parse(arena, text, &group, &err) == 0);
	unit_arena_end(&unit);
}

static void ordinals_and_indices_are_dealt_out_in_the_order_written(void)
{
	static const struct {
		const char *set;
		unsigned ordinal;
		enum role role;
		unsigned index;
	} pods[] = {
		{"a", 0, ROLE_CHIEF, 0},  {"b", 0, ROLE_WORKER, 0}, {"b", 1, ROLE_WORKER, 1}, {"a", 1, ROLE_PS, 0},
		{"a", 2, ROLE_WORKER, 2}, {"a", 3, ROLE_WORKER, 3}, {"b", 2, ROLE_PS, 1},
	};
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);
	struct group group = {0};
	struct task task = {ROLE_EVALUATOR, 99};

	CU_ASSERT(group_parse(arena, "chief=a.s:1,worker=b.s:2,ps=a.s:1,worker=a.s:2,ps=b.s:1", &group, NULL) == 0);
	group_number(&group, 0);
	for (size_t i = 0; i < ARRAY_LEN(pods); i++) {
		CU_ASSERT(group_find(&group, pods[i].set, pods[i].ordinal, &task));
		CU_ASSERT(task.role == pods[i].role && task.index == pods[i].index);
	}
	CU_ASSERT(!group_find(&group, "a", 4, &task));
	CU_ASSERT(!group_find(&group, "b", 3, &task));
	CU_ASSERT(!group_find(&group, "c", 0, &task));
	CU_ASSERT(group_size(&group) == 7 && group_set_size(&group, "a") == 4 &&
		  group_role_size(&group, ROLE_WORKER) == 4);
	unit_arena_end(&unit);
}

static void ordinals_begin_at_the_start(void)
{
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);
	struct group group = {0};
	struct task task = {ROLE_EVALUATOR, 99};

	CU_ASSERT(group_parse(arena, "chief=a.s:1,worker=a.s:2", &group, NULL) == 0);
	group_number(&group, 5);
	CU_ASSERT(group_find(&group, "a", 5, &task) && task.role == ROLE_CHIEF && task.index == 0);
	CU_ASSERT(group_find(&group, "a", 7, &task) && task.role == ROLE_WORKER && task.index == 1);
	CU_ASSERT(!group_find(&group, "a", 4, &task));
	CU_ASSERT(!group_find(&group, "a", 8, &task));
	unit_arena_end(&unit);
}

int add_group_suite(void)
{
	static const struct unit_test tests[] = {
		{"groups of one set", groups_of_one_set},
		{"groups of several sets", groups_of_several_sets},
		{"the grammar is strict", the_grammar_is_strict},
		{"the roles make sense together", the_roles_make_sense_together},
		{"too many entries are refused", too_many_entries_are_refused},
		{"ordinals and indices are dealt out in the order written",
		 ordinals_and_indices_are_dealt_out_in_the_order_written},
		{"ordinals begin at the start", ordinals_begin_at_the_start},
		{NULL, NULL},
	};

	return add_suite("group", tests);
}
