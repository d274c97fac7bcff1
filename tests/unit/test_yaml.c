/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/yaml.h"
#include "suites.h"
#include "unit.h"

static const char *read_into(struct arena *arena, const char *text, size_t len, struct notes *notes, struct error *err)
{
	struct yaml_text document = {.name = "a.yaml", .text = text, .len = len, .line = 10};
	cJSON *tree = NULL;

	if (yaml_read(arena, &document, notes, &tree, err) < 0)
		return NULL;
	return tree ? cJSON_PrintUnformatted(tree) : "";
}

/* The text as JSON, or the error; then the notes. */
static void check(const char *text, const char *expected, const char *expected_notes)
{
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);
	struct error err = {ERROR_NONE, ""};
	struct notes notes;
	const char *found;

	notes_init(&notes);
	found = read_into(arena, text, strlen(text), &notes, &err);
	CHECK_STRING(found ? found : err.message, expected);
	CHECK_STRING(buf_string(&notes.text), expected_notes);
	notes_release(&notes);
	unit_arena_end(&unit);
}

static void documents_are_json(void)
{
	check("", "", "");
	check("# nothing\n", "", "");
	check("~", "", "");
	check("a: 1\nb: [x, yes]\nc:\n- d\n- e: {}", "{\"a\":1,\"b\":[\"x\",true],\"c\":[\"d\",{\"e\":{}}]}", "");
	check("{\"a\": [1, \"\\ud83d\\ude00\"],\n\t\"b\": null}", "{\"a\":[1,\"\xF0\x9F\x98\x80\"],\"b\":null}", "");
	check("a: |\n  x\n  y\nb: >-\n  x\n  y\n", "{\"a\":\"x\\ny\\n\",\"b\":\"x y\"}", "");
	check("a: |\n", "{\"a\":\"\"}", ""); /* libfyaml would read too far at this end */
	check("a: |+\n\n", "{\"a\":\"\\n\"}", "");
	check("\xEF\xBB\xBF"
	      "a: 1\r\nb: 2\r\n",
	      "{\"a\":1,\"b\":2}", "");
	check("a: 1\n...\n", "{\"a\":1}", "");
}

static void aliases_are_copies(void)
{
	check("a: &x {p: 1}\nb: *x\nc: [*x, *x]", "{\"a\":{\"p\":1},\"b\":{\"p\":1},\"c\":[{\"p\":1},{\"p\":1}]}", "");
	check("- &x 1\n- *x\n- &x 2\n- *x", "[1,1,2,2]", "");
	check("&k key: &v 010\n*v : *k", "{\"key\":8,\"8\":\"key\"}", "");
	check("a: *x", "a.yaml:10:4: there is no anchor x above this alias", "");
	check("a: &x [*x]", "a.yaml:10:8: the alias is inside its own anchor", "");
	check("&x [a]: b", "a.yaml:10:4: a key must be a scalar", "");
	check("a: &x [b]\n*x : c", "a.yaml:11:1: a key must be a scalar", "");
	check("a: &x.y 1", "a.yaml:10:9: the name of an anchor may only have letters, digits, '-' and '_'", "");
}

static void merge_keys_replace_what_is_above(void)
{
	check("x: &x {p: 1, q: 2}\nw: {p: 0, <<: *x, q: 3}", "{\"x\":{\"p\":1,\"q\":2},\"w\":{\"p\":1,\"q\":3}}", "");
	check("x: &x {p: 1}\nw: &y {p: 2, q: 2}\nz: {<<: [*x, *y]}",
	      "{\"x\":{\"p\":1},\"w\":{\"p\":2,\"q\":2},\"z\":{\"q\":2,\"p\":1}}", "");
	check("x: &x {p: 1}\nw: &y {<<: *x}\nz: {<<: *y}", "{\"x\":{\"p\":1},\"w\":{\"p\":1},\"z\":{\"p\":1}}", "");
	check("a: {<<: &x {p: 1}, q: *x}", "{\"a\":{\"p\":1,\"q\":{\"p\":1}}}", "");
	check("a: {\"<<\": {p: 1}}", "{\"a\":{\"<<\":{\"p\":1}}}", "");
	check("a: {<<: 1}", "a.yaml:10:9: the value of a merge key (<<) must be a mapping or a list of mappings", "");
	check("x: &x [{p: 1}]\na: {<<: *x}",
	      "a.yaml:11:9: the value of a merge key (<<) must be a mapping or a list of mappings", "");
}

static void of_equal_keys_the_last_one_counts(void)
{
	check("a: 1\nb: 2\na: 3", "{\"b\":2,\"a\":3}", "note: a.yaml:12: duplicate key a: the last one counts\n");
	check("x: &x {p: 1}\nw: {<<: *x, p: 2}", "{\"x\":{\"p\":1},\"w\":{\"p\":2}}", "");
	check("yes: 1\ntrue: 2", "{\"true\":2}", "note: a.yaml:11: duplicate key true: the last one counts\n");
}

static void errors_have_a_place(void)
{
	check("a: 1\n b: 2", "a.yaml:10:4: invalid multiline plain key", "");
	check("a:\n\tb: 1", "a.yaml:11:1: tab character may not be used as indentation", "");
	check("a: {}\n\t\nb: c", "a.yaml:12:1: there is a tab before it: indent with spaces", "");
	check("a:\n  b: |\n  c: d",
	      "a.yaml:12:1: the text above is empty, or not indented: write \"\" for an empty one", "");
	check("a: \"b\nc: d\n", "a.yaml:11:1: the document ends too early: a quote or bracket may be open", "");
	check("a: [b,\nc: d\n", "a.yaml:11:1: the document ends too early: a quote or bracket may be open", "");
	check("a: 1\n...\nb: 2", "a.yaml:11:1: another document starts without a line of --- before it", "");
	check("a:\n\nb", "a.yaml:12:1: it must be indented more than what it belongs to", "");
	check("a: !!int x", "a.yaml:10:10: its tag is !!int, but it is not of that type", "");
	check("a: .inf", "a.yaml:10:4: it is not a finite number", "");
	check("~: a", "a.yaml:10:1: a key is null: give it a name, or quote it", "");
	check("a: \"\\0\"", "a.yaml:10:5: it has a NUL character, or bytes that are not UTF-8", "");
	check("ab\xFF", "a.yaml:10:3: it is not UTF-8", "");
	check("a\n\xC3", "a.yaml:11:1: it is not UTF-8", "");
	check("a: \x01", "a.yaml:10:4: a control character: write it as an escape in double quotes", "");
	check("a: \x7F", "a.yaml:10:4: a control character: write it as an escape in double quotes", "");
	check("# \xE2\x80\xA8", "a.yaml:10:3: a control character: write it as an escape in double quotes", "");
}

/* `count` times the text, after a beginning. The caller frees it. */
static char *repeat(const char *begin, const char *text, size_t count)
{
	char *all = malloc(strlen(begin) + count * strlen(text) + 1);
	char *at = all;

	if (!all)
		return NULL;
	at += sprintf(at, "%s", begin);
	for (size_t i = 0; i < count; i++)
		at += sprintf(at, "%s", text);
	return all;
}

/* The end of the error about the text. */
static void check_refused(const char *begin, const char *text, size_t count, const char *expected)
{
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);
	struct error err = {ERROR_NONE, ""};
	char *all = repeat(begin, text, count);
	struct notes notes;

	notes_init(&notes);
	CU_ASSERT(all && read_into(arena, all, strlen(all), &notes, &err) == NULL);
	CHECK_STRING(strrchr(err.message, ':') ? strrchr(err.message, ':') + 2 : err.message, expected);
	notes_release(&notes);
	free(all);
	unit_arena_end(&unit);
}

static void growth_has_bounds(void)
{
	check_refused("", "[", YAML_DEPTH_MAX + 1, "it is nested deeper than 500 levels");
	check_refused("", "- ", YAML_DEPTH_MAX + 1, "it is nested deeper than 500 levels");
	check_refused("", "- &a b\n", YAML_ANCHORS_MAX + 1, "there are more than 1,000 anchors");
	check_refused("", "[],", YAML_FLOW_MAX, "there are more than 300,000 brackets and commas");
	check_refused("- &a [0,1,2,3,4,5,6,7,8,9]\n- &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
		      "- &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n- &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n",
		      "- *d\n", 100, "all aliases together stand for more than 200,000 values");
}

static void running_out_of_memory_is_an_error(void)
{
	char memory[2048];
	struct arena arena;
	struct error err = {ERROR_NONE, ""};
	struct notes notes;
	char *text = repeat("", "- some text\n", 100);

	arena_init_fixed(&arena, memory, sizeof(memory));
	notes_init(&notes);
	CU_ASSERT(text && read_into(&arena, text, strlen(text), &notes, &err) == NULL);
	CU_ASSERT(err.code == ERROR_NO_MEMORY);
	notes_release(&notes);
	free(text);
}

int add_yaml_suite(void)
{
	static const struct unit_test tests[] = {
		{"documents are JSON", documents_are_json},
		{"aliases are copies of their anchors", aliases_are_copies},
		{"merge keys replace what is above them", merge_keys_replace_what_is_above},
		{"of equal keys the last one counts", of_equal_keys_the_last_one_counts},
		{"errors have a place", errors_have_a_place},
		{"growth has bounds", growth_has_bounds},
		{"running out of memory is an error", running_out_of_memory_is_an_error},
		{NULL, NULL},
	};

	return add_suite("yaml", tests);
}
