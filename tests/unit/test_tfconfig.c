/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "core/tfconfig.h"
#include "suites.h"
#include "unit.h"

static struct stamp stamp_of(struct arena *arena, const char *text)
{
	struct stamp stamp = {.port = 2222, .domain = "cluster.local"};

	CU_ASSERT(group_parse(arena, text, &stamp.group, NULL) == 0);
	group_number(&stamp.group, 0);
	return stamp;
}

static void the_value_is_compact_and_in_order(void)
{
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);
	struct stamp stamp = stamp_of(arena, "worker=trainer.hl:3");

	CHECK_STRING(tfconfig_render(arena, &stamp, "ml", (struct task){ROLE_WORKER, 1}),
		     "{\"cluster\":{\"worker\":[\"trainer-0.hl.ml.svc.cluster.local:2222\","
		     "\"trainer-1.hl.ml.svc.cluster.local:2222\",\"trainer-2.hl.ml.svc.cluster.local:2222\"]},"
		     "\"task\":{\"type\":\"worker\",\"index\":1}}");
	stamp = stamp_of(arena, "ps=p.s:1,worker=w.s:1,chief=c.s:1,evaluator=e.s:1");
	stamp.address = ADDRESS_SHORT;
	stamp.grpc = true;
	CHECK_STRING(tfconfig_render(arena, &stamp, "ml", (struct task){ROLE_PS, 0}),
		     "{\"cluster\":{\"chief\":[\"c-0.s:2222\"],\"worker\":[\"w-0.s:2222\"],\"ps\":[\"p-0.s:2222\"]},"
		     "\"task\":{\"type\":\"ps\",\"index\":0},\"rpc_layer\":\"grpc\"}");
	CHECK_STRING(tfconfig_render(arena, &stamp, "ml", (struct task){ROLE_EVALUATOR, 0}),
		     "{\"cluster\":{\"chief\":[\"c-0.s:2222\"],\"worker\":[\"w-0.s:2222\"],\"ps\":[\"p-0.s:2222\"],"
		     "\"evaluator\":[\"e-0.s:2222\"]},\"task\":{\"type\":\"evaluator\",\"index\":0},"
		     "\"rpc_layer\":\"grpc\"}");
	unit_arena_end(&unit);
}

static void a_name_without_a_domain_ends_at_svc(void)
{
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);
	struct stamp stamp = stamp_of(arena, "worker=t.hl:1");

	stamp.domain = "";
	CHECK_STRING(tfconfig_render(arena, &stamp, "ml", (struct task){ROLE_WORKER, 0}),
		     "{\"cluster\":{\"worker\":[\"t-0.hl.ml.svc:2222\"]},\"task\":{\"type\":\"worker\",\"index\":0}}");
	unit_arena_end(&unit);
}

static void in_the_sparse_form_a_worker_sees_itself_alone(void)
{
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);
	struct stamp stamp = stamp_of(arena, "chief=t.s:1,worker=t.s:12,ps=t.s:1");

	stamp.address = ADDRESS_SHORT;
	stamp.sparse = true;
	CHECK_STRING(tfconfig_render(arena, &stamp, "ml", (struct task){ROLE_WORKER, 10}),
		     "{\"cluster\":{\"chief\":[\"t-0.s:2222\"],\"worker\":{\"10\":\"t-11.s:2222\"},\"ps\":[\"t-13.s:"
		     "2222\"]},"
		     "\"task\":{\"type\":\"worker\",\"index\":10}}");
	CU_ASSERT(strstr(tfconfig_render(arena, &stamp, "ml", (struct task){ROLE_PS, 0}),
			 "\"worker\":[\"t-1.s:2222\",\"t-2.s:2222\"") != NULL);
	unit_arena_end(&unit);
}

/* The size is counted, not written, so it must agree with what is written for every task of every shape. */
static void the_counted_size_is_the_written_size(void)
{
	static const char *const groups[] = {
		"worker=trainer.hl:1",
		"worker=trainer.hl:9",
		"worker=trainer.hl:10",
		"worker=trainer.hl:11",
		"chief=a.s:1,worker=a.s:120,ps=a.s:7,evaluator=a.s:1",
		"worker=a.s:3,ps=b.long:2,worker=b.long:11,chief=c.s:1,worker=a.s:98",
		"worker=t.s:1200",
	};
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);

	for (unsigned form = 0; form < 16; form++) {
		for (size_t i = 0; i < ARRAY_LEN(groups); i++) {
			struct stamp stamp = stamp_of(arena, groups[i]);
			size_t largest = 0;

			stamp.address = form & 1 ? ADDRESS_SHORT : ADDRESS_FQDN;
			stamp.domain = form & 2 ? "" : "cluster.local";
			stamp.grpc = (form & 4) != 0;
			stamp.sparse = (form & 8) && group_role_size(&stamp.group, ROLE_PS) > 0;
			stamp.port = form & 1 ? 80 : 65535;
			group_number(&stamp.group, form & 2 ? 95 : 0);
			for (enum role role = ROLE_CHIEF; role < ROLE_COUNT; role++) {
				for (unsigned pod = 0; pod < group_role_size(&stamp.group, role); pod++) {
					size_t size = tfconfig_size(&stamp, "ml", (struct task){role, pod});
					const char *value =
						tfconfig_render(arena, &stamp, "ml", (struct task){role, pod});

					CHECK_ROW(value && strlen(value) == size && value[size - 1] == '}', groups[i]);
					largest = size > largest ? size : largest;
					arena->state = ARENA_OK;
				}
			}
			CHECK_ROW(largest == tfconfig_largest_size(&stamp, "ml"), groups[i]);
			arena_reset(arena);
		}
	}
	unit_arena_end(&unit);
}

static void the_largest_group_fits_and_one_more_does_not(void)
{
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);
	struct stamp stamp = stamp_of(arena, "chief=t.hl:1,worker=t.hl:99999");
	unsigned fits = tfconfig_largest_group(&stamp, "ml");

	CU_ASSERT(fits > 2000 && fits < 5000);
	CU_ASSERT(stamp.group.entries[1].count == 99999);
	stamp.group.entries[1].count = fits - 1;
	CU_ASSERT(tfconfig_largest_size(&stamp, "ml") <= TFCONFIG_MAX);
	stamp.group.entries[1].count++;
	CU_ASSERT(tfconfig_largest_size(&stamp, "ml") > TFCONFIG_MAX);
	CU_ASSERT(TFCONFIG_MAX == 131061);
	unit_arena_end(&unit);
}

static void large_entries_shrink_to_one_size_and_small_ones_stay(void)
{
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);
	struct stamp stamp = stamp_of(arena, "worker=a.s:90000,worker=b.s:90000,ps=c.s:7");
	unsigned fits = tfconfig_largest_group(&stamp, "ml");

	CU_ASSERT(fits > 1000 && fits % 2 == 1);
	stamp.group.entries[0].count = stamp.group.entries[1].count = (fits - 7) / 2;
	group_number(&stamp.group, 0);
	CU_ASSERT(tfconfig_largest_size(&stamp, "ml") <= TFCONFIG_MAX);
	unit_arena_end(&unit);
}

static void the_largest_group_is_found_at_once_whatever_the_group(void)
{
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);
	struct group_entry entries[GROUP_ENTRIES_MAX];
	struct stamp stamp = {.port = 2222, .domain = "cluster.local", .group = {entries, GROUP_ENTRIES_MAX}};

	for (size_t i = 0; i < GROUP_ENTRIES_MAX; i++) {
		const char *set = arena_printf(arena, "set-%zu", i);

		entries[i] = (struct group_entry){
			.role = i % 2 ? ROLE_PS : ROLE_WORKER, .set = set, .service = "s", .count = GROUP_COUNT_MAX};
	}
	/* Work beyond some rounds of the group would take minutes here. */
	for (int i = 0; i < 50; i++)
		CU_ASSERT(tfconfig_largest_group(&stamp, "ml") > GROUP_ENTRIES_MAX);
	unit_arena_end(&unit);
}

int add_tfconfig_suite(void)
{
	static const struct unit_test tests[] = {
		{"the value is compact and in order", the_value_is_compact_and_in_order},
		{"a name without a domain ends at .svc", a_name_without_a_domain_ends_at_svc},
		{"in the sparse form a worker sees itself alone", in_the_sparse_form_a_worker_sees_itself_alone},
		{"the counted size is the written size", the_counted_size_is_the_written_size},
		{"the largest group fits and one more does not", the_largest_group_fits_and_one_more_does_not},
		{"large entries shrink to one size and small ones stay",
		 large_entries_shrink_to_one_size_and_small_ones_stay},
		{"the largest group is found at once, whatever the group",
		 the_largest_group_is_found_at_once_whatever_the_group},
		{NULL, NULL},
	};

	return add_suite("tfconfig", tests);
}
