/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "suites.h"
#include "unit.h"
#include "wait/peers.h"

static int read(struct arena *arena, const char *text, struct peers *peers)
{
	struct error err;

	return peers_read(arena, text, peers, &err);
}

static void hosts_are_read_from_every_shape_of_a_cluster(void)
{
	static const struct {
		const char *cluster;
		const char *names; /* joined by spaces */
	} rows[] = {
		{"{\"worker\":[\"a-0.s:1\",\"a-1.s:65535\"]}", "a-0.s a-1.s"},
		{"{\"worker\":{\"7\":\"a-7.s:1\"},\"ps\":[\"p-0.s:1\"]}", "a-7.s p-0.s"},
		{"{\"worker\":[],\"chief\":[\"c-0.s:1\"],\"evaluator\":[\"e-0.s:1\"]}", "c-0.s e-0.s"},
		{"{\"worker\":[\"b:1\",\"a:1\",\"b:2\",\"c:1\"],\"ps\":[\"a:1\"]}", "b a c"},
		{"{\"worker\":[\"127.0.0.1:1\",\"[::1]:1\",\"::1:1\"]}", "127.0.0.1 ::1"},
		/* Full names end in a dot, others do not. */
		{"{\"worker\":[\"a-0.s.ns.svc.cluster.local:1\"]}", "a-0.s.ns.svc.cluster.local."},
		{"{\"worker\":[\"a-0.s.ns.svc.d:1\"]}", "a-0.s.ns.svc.d."},
		{"{\"worker\":[\"a-0.s.ns.svc:1\"]}", "a-0.s.ns.svc"},
		{"{\"worker\":[\"a-0.s.ns.svc.:1\"]}", "a-0.s.ns.svc."},
		{"{\"worker\":[\"a-0.svc.x.y.z:1\",\"a-0.s.ns.svcs.x:1\"]}", "a-0.svc.x.y.z a-0.s.ns.svcs.x"},
	};
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *text = arena_printf(arena, "{\"cluster\":%s,\"task\":{}}", rows[i].cluster);
		struct peers peers = {0};
		char names[200] = "";

		CHECK_ROW(read(arena, text, &peers) == 0 && peers.resolved == 0, rows[i].cluster);
		for (size_t j = 0; j < peers.len; j++) {
			size_t len = strlen(names);

			snprintf(names + len, sizeof(names) - len, "%s%s", j ? " " : "", peers.list[j].name);
		}
		CHECK_STRING(names, rows[i].names);
	}
	unit_arena_end(&unit);
}

static void what_lists_no_hosts_is_refused(void)
{
	static const char *const texts[] = {
		"",
		"x",
		"[]",
		"{}",
		"{\"cluster\":{}}",
		"{\"cluster\":[\"a:1\"]}",
		"{\"cluster\":{\"worker\":[]}}",
		"{\"cluster\":{\"worker\":\"a:1\"}}",
		"{\"cluster\":{\"worker\":[1]}}",
		"{\"cluster\":{\"worker\":[[\"a:1\"]]}}",
		"{\"cluster\":{\"worker\":[\"\"]}}",
		"{\"cluster\":{\"worker\":[\"a\"]}}",
		"{\"cluster\":{\"worker\":[\"a:\"]}}",
		"{\"cluster\":{\"worker\":[\":1\"]}}",
		"{\"cluster\":{\"worker\":[\"[]:1\"]}}",
		"{\"cluster\":{\"worker\":[\"[:1\"]}}",
		"{\"cluster\":{\"worker\":[\"[::1:1\"]}}",
		"{\"cluster\":{\"worker\":[\"a:1\",null]}}",
	};
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);
	struct peers peers;

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		CHECK_ROW(read(arena, texts[i], &peers) < 0, texts[i]);
	unit_arena_end(&unit);
}

static void a_name_may_be_as_long_as_dns_allows(void)
{
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);
	struct peers peers;
	char host[255];

	memset(host, 'a', sizeof(host) - 1);
	host[254] = '\0';
	CU_ASSERT(read(arena, arena_printf(arena, "{\"cluster\":{\"ps\":[\"%s:1\"]}}", host), &peers) < 0);
	CU_ASSERT(read(arena, arena_printf(arena, "{\"cluster\":{\"ps\":[\"%s:1\"]}}", host + 1), &peers) == 0);
	CHECK_STRING(peers.list[0].name, host + 1);
	unit_arena_end(&unit);
}

static void a_full_arena_is_an_error_of_its_own(void)
{
	char memory[512];
	struct arena arena;
	struct arena *before;
	struct peers peers;
	struct error err;

	arena_init_fixed(&arena, memory, sizeof(memory));
	before = arena_enter(&arena);
	CU_ASSERT(peers_read(&arena, "{\"cluster\":{\"worker\":[\"a:1\",\"b:1\",\"c:1\",\"d:1\",\"e:1\"]}}", &peers,
			     &err) < 0);
	CU_ASSERT(err.code == ERROR_NO_MEMORY);
	arena_enter(before);
}

static void the_missing_are_named_up_to_a_bound(void)
{
	static const char text[] =
		"{\"cluster\":{\"worker\":[\"t-0.s.n.svc.d:1\",\"t-1.s.n.svc.d:1\",\"localhost:1\",\"10.0.0.1:1\"]}}";
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);
	struct peers peers = {0};
	char missing[PEERS_TEXT_MAX];

	CU_ASSERT(read(arena, text, &peers) == 0);
	peers_name_missing(&peers, 9, missing);
	CHECK_STRING(missing, "t-0, t-1, localhost, 10.0.0.1");
	peers_resolve(&peers, 1);
	peers_resolve(&peers, 1);
	CU_ASSERT(peers.resolved == 1);
	peers_name_missing(&peers, 3, missing);
	CHECK_STRING(missing, "t-0, localhost, 10.0.0.1");
	peers_name_missing(&peers, 2, missing);
	CHECK_STRING(missing, "t-0, localhost and 1 more");
	peers_name_missing(&peers, 0, missing);
	CHECK_STRING(missing, "3 more");
	for (size_t i = 0; i < peers.len; i++)
		peers_resolve(&peers, i);
	peers_name_missing(&peers, 3, missing);
	CHECK_STRING(missing, "");
	unit_arena_end(&unit);
}

static void a_list_of_the_missing_never_passes_its_room(void)
{
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);
	struct peers peers = {.list = arena_calloc(arena, 40, sizeof(struct peer)), .len = 40};
	char missing[PEERS_TEXT_MAX];

	for (size_t len = 1; len <= 253; len++) {
		char *name = arena_alloc(arena, len + 1);

		memset(name, 'x', len);
		name[len] = '\0';
		for (size_t i = 0; i < peers.len; i++)
			peers.list[i].name = name;
		memset(missing, 'u', sizeof(missing));
		peers_name_missing(&peers, 40, missing);
		CU_ASSERT(strncmp(missing, name, len) == 0 && strlen(missing) < sizeof(missing));
		CU_ASSERT(len < 10 || strstr(missing, " more") != NULL);
	}
	peers.list[0].name = "a\nb\x1b[1m";
	peers_name_missing(&peers, 1, missing);
	CHECK_STRING(missing, "a?b?[1m and 39 more");
	unit_arena_end(&unit);
}

int add_peers_suite(void)
{
	static const struct unit_test tests[] = {
		{"hosts are read from every shape of a cluster", hosts_are_read_from_every_shape_of_a_cluster},
		{"what lists no hosts is refused", what_lists_no_hosts_is_refused},
		{"a name may be as long as DNS allows", a_name_may_be_as_long_as_dns_allows},
		{"a full arena is an error of its own", a_full_arena_is_an_error_of_its_own},
		{"the missing are named up to a bound", the_missing_are_named_up_to_a_bound},
		{"a list of the missing never passes its room", a_list_of_the_missing_never_passes_its_room},
		{NULL, NULL},
	};

	return add_suite("peers", tests);
}
