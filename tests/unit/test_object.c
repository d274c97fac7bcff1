/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/base64.h"
#include "kube/object.h"
#include "suites.h"
#include "unit.h"

static void an_object_of_its_kind_is_parsed(void)
{
	static const struct {
		const char *json, *problem; /* NULL: none */
	} rows[] = {
		{"{\"kind\":\"Secret\"}", NULL},
		{"{\"kind\":\"Service\"}", "Secret: it is of another kind"},
		{"{}", "Secret: it is of another kind"},
		{"[]", "Secret: it is of another kind"},
		{"{", "Secret: it is not JSON, or nested deeper than 1,000 levels"},
	};
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct error err = {0};
		const cJSON *tree = object_parse(arena, "Secret", rows[i].json, strlen(rows[i].json), &err);

		CHECK_ROW((tree == NULL) == (rows[i].problem != NULL), rows[i].json);
		CHECK_STRING(err.message, rows[i].problem ? rows[i].problem : "");
	}
	unit_arena_end(&unit);
}

static void a_version_is_opaque_but_plain(void)
{
	static const struct {
		const char *json, *version; /* NULL: it has none that can be used */
	} rows[] = {
		{"{\"kind\":\"Secret\",\"metadata\":{\"resourceVersion\":\"12\"}}", "12"},
		{"{\"kind\":\"Secret\",\"metadata\":{\"resourceVersion\":\"a.B_3-\"}}", "a.B_3-"},
		{"{\"kind\":\"Secret\",\"metadata\":{\"resourceVersion\":\"\"}}", NULL},
		{"{\"kind\":\"Secret\",\"metadata\":{\"resourceVersion\":\"1&2\"}}", NULL},
		{"{\"kind\":\"Secret\",\"metadata\":{\"resourceVersion\":12}}", NULL},
		{"{\"kind\":\"Secret\"}", NULL},
	};
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char version[OBJECT_VERSION_SIZE] = "as before";
		struct error err = {0};
		const cJSON *tree = object_parse(arena, "Secret", rows[i].json, strlen(rows[i].json), &err);
		const int result = object_read_version(tree, version, &err);

		CHECK_ROW((result == 0) == (rows[i].version != NULL), rows[i].json);
		CHECK_STRING(version, rows[i].version ? rows[i].version : "as before");
		CHECK_STRING(err.message, rows[i].version ? "" : "Secret: it has no resourceVersion");
	}
	unit_arena_end(&unit);
}

static void plain_text_is_copied_where_it_fits(void)
{
	char out[4] = "old";

	CU_ASSERT(!object_copy_plain(out, sizeof(out), NULL));
	CU_ASSERT(!object_copy_plain(out, sizeof(out), "1234"));
	CU_ASSERT(!object_copy_plain(out, sizeof(out), "1 2"));
	CHECK_STRING(out, "old");
	CU_ASSERT(object_copy_plain(out, sizeof(out), "123"));
	CHECK_STRING(out, "123");
	CU_ASSERT(object_copy_plain(out, sizeof(out), ""));
	CHECK_STRING(out, "");
}

static void base64_of_any_length_is_in_one_line(void)
{
	static const size_t sizes[] = {0, 1, 767, 768, 769, 5000};
	static char bytes[5000];
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(i * 7);
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		CLEANUP(buf_release) struct buf text;

		buf_init(&text, 8192);
		object_add_base64(&text, bytes, sizes[i]);
		CHECK_STRING(buf_string(&text), base64_encode(arena, bytes, sizes[i]));
	}
	unit_arena_end(&unit);
}

int add_object_suite(void)
{
	static const struct unit_test tests[] = {
		{"an object of its kind is parsed", an_object_of_its_kind_is_parsed},
		{"a version is opaque, but plain", a_version_is_opaque_but_plain},
		{"plain text is copied where it fits", plain_text_is_copied_where_it_fits},
		{"base64 of any length is in one line", base64_of_any_length_is_in_one_line},
		{NULL, NULL},
	};

	return add_suite("object", tests);
}
