/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "render/document_walk.h"
#include "suites.h"
#include "unit.h"

/* Each document's first line and text, between bars, or the error. */
static void check(const char *text, const char *expected)
{
	struct document_walk walk;
	struct error err;
	char found[512] = "";
	int result;

	document_walk_init(&walk, "a.yaml", text, strlen(text));
	while ((result = document_walk_next(&walk, &err)) > 0)
		snprintf(found + strlen(found), sizeof(found) - strlen(found), "%u %.*s|", walk.document.line,
			 (int)walk.document.len, walk.document.text);
	if (result < 0)
		snprintf(found + strlen(found), sizeof(found) - strlen(found), "%s", err.message);
	CHECK_STRING(found, expected);
}

static void files_are_split_at_separators(void)
{
	check("", "");
	check("---\n", "");
	check("a\n---\nb", "1 a\n|3 b|");
	check("---\na\n---\n---\n--- # more\nb\n---", "2 a\n|6 b\n|");
	check("a\r\n---\r\nb\r\n", "1 a\r\n|3 b\r\n|");
	check("a: |\n  ---\n", "1 a: |\n  ---\n|");
	check("a\n--- b\n", "1 a\n|a.yaml:2:1: only a comment may follow --- here");
	check("----\n", "a.yaml:1:1: only a comment may follow --- here");
}

int add_document_walk_suite(void)
{
	static const struct unit_test tests[] = {
		{"files are split at ---", files_are_split_at_separators},
		{NULL, NULL},
	};

	return add_suite("document_walk", tests);
}
