/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "render/notes.h"
#include "suites.h"
#include "unit.h"

static void notes_are_lines_in_their_order(void)
{
	struct notes notes;

	notes_init(&notes);
	CHECK_STRING(buf_string(&notes.text), "");
	notes_add(&notes, "%s:%u: first", "a.yaml", 3U);
	notes_add(&notes, "second");
	CHECK_STRING(buf_string(&notes.text), "note: a.yaml:3: first\nnote: second\n");
	notes_release(&notes);
}

static void control_characters_are_replaced(void)
{
	struct notes notes;

	notes_init(&notes);
	notes_add(&notes, "%s", "a\nb\x1b[1mc");
	CHECK_STRING(buf_string(&notes.text), "note: a?b?[1mc\n");
	notes_release(&notes);
}

static void a_long_note_is_cut_and_the_sum_has_a_bound(void)
{
	char text[2000];
	struct notes notes;

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	notes_init(&notes);
	notes_add(&notes, "%s", text);
	CU_ASSERT(notes.text.len > 1000 && notes.text.len < 1100);
	for (unsigned i = 0; i < 100; i++)
		notes_add(&notes, "%s", text);
	CU_ASSERT(notes.text.len <= (size_t)64 * 1024);
	CU_ASSERT(buf_string(&notes.text)[notes.text.len - 1] == '\n');
	notes_release(&notes);
}

int add_notes_suite(void)
{
	static const struct unit_test tests[] = {
		{"notes are lines in their order", notes_are_lines_in_their_order},
		{"control characters are replaced", control_characters_are_replaced},
		{"a long note is cut, and the sum has a bound", a_long_note_is_cut_and_the_sum_has_a_bound},
		{NULL, NULL},
	};

	return add_suite("notes", tests);
}
