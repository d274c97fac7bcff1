/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/text.h"
#include "suites.h"
#include "unit.h"

static void utf8_is_told_from_what_is_not(void)
{
	static const char *const good[] = {
		"", "abc", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x99\x82", "\xed\x9f\xbf", "\xf4\x8f\xbf\xbf"};
	static const char *const bad[] = {
		"\x80",             /* a lone follower */
		"\xc3",             /* cut short */
		"\xc0\xaf",         /* overlong */
		"\xe0\x80\xaf",     /* overlong */
		"\xf0\x80\x80\xaf", /* overlong */
		"\xed\xa0\x80",     /* a surrogate */
		"\xf4\x90\x80\x80", /* above U+10FFFF */
		"\xff",
		"a\xe2\x82",
	};

	for (size_t i = 0; i < ARRAY_LEN(good); i++)
		CHECK_ROW(text_is_utf8(good[i], strlen(good[i])), good[i]);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		CHECK_ROW(!text_is_utf8(bad[i], strlen(bad[i])), bad[i]);
}

static void clipping_never_cuts_a_character(void)
{
	const char *text = "ab\xe2\x82\xac"
			   "c";

	CU_ASSERT(text_clip(text, 6, 6) == 6);
	CU_ASSERT(text_clip(text, 6, 5) == 5);
	CU_ASSERT(text_clip(text, 6, 4) == 2);
	CU_ASSERT(text_clip(text, 6, 3) == 2);
	CU_ASSERT(text_clip(text, 6, 0) == 0);
}

static void quotes_are_clipped(void)
{
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);
	char long_text[200];
	const char *quoted;

	memset(long_text, 'x', sizeof(long_text) - 1);
	long_text[sizeof(long_text) - 1] = '\0';
	CHECK_STRING(text_quote(arena, "a b"), "\"a b\"");
	quoted = text_quote(arena, long_text);
	CU_ASSERT(quoted && strlen(quoted) == 80 + strlen("\"\"..."));
	memcpy(long_text + 79, "\xe2\x82\xac", 3); /* the 80th byte is inside this character */
	quoted = text_quote(arena, long_text);
	CU_ASSERT(quoted && strlen(quoted) == 79 + strlen("\"\"...") && text_is_utf8(quoted, strlen(quoted)));
	unit_arena_end(&unit);
}

static void control_characters_are_replaced(void)
{
	char text[] = "a\n\tb\x7f \xc2\x80\xc2\x9f \xc2\xa0\xc3\xa4";

	text_clean(text);
	CHECK_STRING(text, "a??b? ???? \xc2\xa0\xc3\xa4");
}

static void blanks_are_trimmed_at_both_ends(void)
{
	const char *text = " \t\r\na b\n ";
	size_t len = text_trim(&text, strlen(text));

	CU_ASSERT(len == 3 && memcmp(text, "a b", 3) == 0);
	text = "  ";
	CU_ASSERT(text_trim(&text, 2) == 0);
}

int add_text_suite(void)
{
	static const struct unit_test tests[] = {
		{"UTF-8 is told from what is not", utf8_is_told_from_what_is_not},
		{"clipping never cuts a character", clipping_never_cuts_a_character},
		{"quotes are clipped", quotes_are_clipped},
		{"control characters are replaced", control_characters_are_replaced},
		{"blanks are trimmed at both ends", blanks_are_trimmed_at_both_ends},
		{NULL, NULL},
	};

	return add_suite("text", tests);
}
