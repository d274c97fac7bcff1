/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "core/stamp.h"
#include "suites.h"
#include "unit.h"

#define MEMBERS                                                                                      \
	"\"group\":\"chief=a.s:1,worker=a.s:2\",\"start\":5,\"followsReplicas\":true,\"port\":2222," \
	"\"address\":\"fqdn\",\"domain\":\"cluster.local\",\"sparse\":false,\"overwrite\":true"
#define PLAIN "{\"version\":1," MEMBERS "}"
#define FULL  "{\"version\":1," MEMBERS ",\"rpcLayer\":\"grpc\",\"containers\":[\"tensorflow\",\"logs\"],\"wait\":true}"

static int decode(struct arena *arena, const char *text, struct stamp *stamp, int *version)
{
	struct error err;

	return stamp_decode(arena, text, stamp, version, &err);
}

static void a_stamp_reads_back_as_it_was_written(void)
{
	static const char *const texts[] = {PLAIN, FULL};
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct stamp stamp = {0};
		int version = 0;

		CU_ASSERT(decode(arena, texts[i], &stamp, &version) == 0);
		CU_ASSERT(version == 1 && stamp.start == 5 && stamp.port == 2222 && stamp.overwrite);
		CU_ASSERT(stamp.grpc == (i == 1) && stamp.containers.len == 2 * i && stamp.wait == (i == 1));
		CHECK_STRING(stamp_encode(arena, &stamp), texts[i]);
	}
	unit_arena_end(&unit);
}

static void unknown_members_are_ignored(void)
{
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);
	struct stamp stamp;
	int version;

	CU_ASSERT(decode(arena, "{\"version\":1,\"later\":{\"a\":[1]}," MEMBERS "}", &stamp, &version) == 0);
	unit_arena_end(&unit);
}

static void an_unknown_version_is_refused_and_named(void)
{
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);
	struct stamp stamp;
	int version;

	CU_ASSERT(decode(arena, "{\"version\":2," MEMBERS "}", &stamp, &version) < 0);
	CU_ASSERT(version == 2);
	CU_ASSERT(decode(arena, "{\"version\":0," MEMBERS "}", &stamp, &version) < 0);
	CU_ASSERT(version == 0);
	CU_ASSERT(decode(arena, "{" MEMBERS "}", &stamp, &version) < 0);
	unit_arena_end(&unit);
}

/* Replaces the first `from` in the plain stamp, so that each row breaks one member. */
static const char *broken(struct arena *arena, const char *from, const char *to)
{
	const char *at = strstr(PLAIN, from);

	CHECK_ROW(at != NULL, from);
	return at ? arena_printf(arena, "%.*s%s%s", (int)(at - PLAIN), PLAIN, to, at + strlen(from)) : "";
}

static void a_stamp_that_cannot_be_fully_read_is_refused(void)
{
	static const struct {
		const char *from;
		const char *to;
	} rows[] = {
		{"\"group\":", "\"groups\":"},
		{"chief=a.s:1,", "chief:1,"},
		{"chief=a.s:1,", "chief=a:1,"},
		{"chief=a.s:1,", "chief=a.s:*,"},
		{"chief=a.s:1,", "chief=a.s:2,"},
		{"chief=a.s:1,", "evaluator=a.s:2,"},
		{"chief=a.s:1,", "chief=b.s:1,"}, /* several sets count from 0, and the start is 5 */
		{"worker=a.s:2", "ps=a.s:2"},
		{"worker=a.s:2", "worker=a.t:2"},
		{"worker=a.s:2", "worker=a.s:2,"},
		{"\"start\":5", "\"start\":-1"},
		{"\"start\":5", "\"start\":\"5\""},
		{"\"start\":5,", ""},
		{"\"followsReplicas\":true", "\"followsReplicas\":1"},
		{"\"followsReplicas\":true,", ""},
		{"2222", "0"},
		{"2222", "65536"},
		{"2222", "\"2222\""},
		{"\"port\":2222,", ""},
		{"fqdn", "long"},
		{"\"address\":\"fqdn\",", ""},
		{"cluster.local", "cluster..local"},
		{"cluster.local", "$(HOME)"},
		{"\"domain\":\"cluster.local\",", ""},
		{"\"sparse\":false,", ""},
		{"\"sparse\":false", "\"sparse\":true"}, /* there is no ps */
		{",\"overwrite\":true", ""},
		{"true}", "true,\"rpcLayer\":\"http\"}"},
		{"true}", "true,\"rpcLayer\":1}"},
		{"true}", "true,\"containers\":\"a\"}"},
		{"true}", "true,\"containers\":[]}"},
		{"true}", "true,\"containers\":[\"A\"]}"},
		{"true}", "true,\"containers\":[1]}"},
		{"true}", "true,\"wait\":1}"},
		{"true}", "true,\"wait\":\"true\"}"},
		{"true}", "true,\"wait\":null}"},
		{"true}", "true"},
		{"true}", "true}x"},
	};
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);
	struct stamp stamp;
	int version;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		CHECK_ROW(decode(arena, broken(arena, rows[i].from, rows[i].to), &stamp, &version) < 0, rows[i].to);
	CU_ASSERT(decode(arena, "", &stamp, &version) < 0);
	CU_ASSERT(decode(arena, "[]", &stamp, &version) < 0);
	CU_ASSERT(decode(arena, "worker:3", &stamp, &version) < 0);
	unit_arena_end(&unit);
}

static void stamps_are_equal_but_for_the_domain(void)
{
	static const struct {
		const char *from;
		const char *to;
		bool equal;
	} rows[] = {
		{"cluster.local", "", true},
		{"cluster.local", "example.org", true},
		{"\"version\":1", "\"version\":1,\"later\":1", true},
		{"worker=a.s:2", "worker=a.s:3", false},
		{"worker=a.s:2", "worker=a.s:1,worker=a.s:1", false},
		{"\"start\":5", "\"start\":6", false},
		{"\"followsReplicas\":true", "\"followsReplicas\":false", false},
		{"2222", "2223", false},
		{"fqdn", "short", false},
		{"\"overwrite\":true", "\"overwrite\":false", false},
		{"true}", "true,\"rpcLayer\":\"grpc\"}", false},
		{"true}", "true,\"containers\":[\"a\"]}", false},
		{"true}", "true,\"wait\":true}", false},
		{"true}", "true,\"wait\":false}", true},
	};
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);
	struct stamp plain = {0};
	struct stamp other = {0};
	int version;

	CU_ASSERT(decode(arena, PLAIN, &plain, &version) == 0);
	other = plain;
	other.sparse = true;
	CU_ASSERT(!stamp_equal(&plain, &other));
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		CHECK_ROW(decode(arena, broken(arena, rows[i].from, rows[i].to), &other, &version) == 0, rows[i].to);
		CHECK_ROW(stamp_equal(&plain, &other) == rows[i].equal, rows[i].to);
	}
	unit_arena_end(&unit);
}

int add_stamp_suite(void)
{
	static const struct unit_test tests[] = {
		{"a stamp reads back as it was written", a_stamp_reads_back_as_it_was_written},
		{"unknown members are ignored", unknown_members_are_ignored},
		{"an unknown version is refused and named", an_unknown_version_is_refused_and_named},
		{"a stamp that cannot be fully read is refused", a_stamp_that_cannot_be_fully_read_is_refused},
		{"stamps are equal but for the domain", stamps_are_equal_but_for_the_domain},
		{NULL, NULL},
	};

	return add_suite("stamp", tests);
}
