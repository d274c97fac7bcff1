/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <cjson/cJSON.h>

#include "base/scan.h"
#include "suites.h"
#include "unit.h"

/* What passes, the parser takes too. */
static void json_is_what_rfc_8259_says(void)
{
	static const char *const good[] = {
		"0",
		"-0",
		"10",
		"-1.50",
		"1e5",
		"1E+5",
		"1.5e-05",
		"\"\"",
		"\"a\"",
		"true",
		"false",
		"null",
		"{}",
		"[]",
		" \t\r\n[ 1 , { \"a\" : [ ] , \"\" : \"\" } ]\n",
		"{\"a\":1,\"a\":2}",
		"[[],{},[[]]]",
		"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e4\\u0001\\uD83D\\ude00\"",
		"\"\x7f \xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80\"",
	};
	static const char *const bad[] = {
		"",
		" ",
		"01",
		"-",
		"+1",
		"1.",
		".5",
		"1e",
		"1e+",
		"0x1",
		"--1",
		"1-2",
		"nul",
		"nulll",
		"True",
		"tru",
		"\"",
		"\"a",
		"\"\\\"",
		"'a'",
		"\"\\x\"",
		"\"\\",
		"\"\\u12\"",
		"\"\\u12g4\"",
		"\"\\u",
		"\"\t\"",
		"\"\x1f\"",
		"[",
		"]",
		"[1",
		"[1,",
		"[1,]",
		"[,1]",
		"[1 2]",
		"[}",
		"{]",
		"{",
		"}",
		"{\"a\"",
		"{\"a\":",
		"{\"a\":1",
		"{\"a\":1,",
		"{\"a\":1,}",
		"{,}",
		"{1:2}",
		"{a:1}",
		"{\"a\" 1}",
		"{\"a\",1}",
		"{\"a\":1 \"b\":2}",
		"[[1}",
		"[1}",
		"{\"a\":1]",
		"{\"a\":1,2}",
		"{\"a\":[}]",
		"1 2",
		"{}x",
		"{}{}",
		"[]]",
		"\xef\xbb\xbf{}",
		"\x0b[]",
		"[\x01]",
		"/**/1",
	};
	struct unit_arena unit;

	unit_arena_begin(&unit);
	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		CHECK_ROW(scan_is_json(good[i], strlen(good[i])), good[i]);
		CHECK_ROW(cJSON_ParseWithOpts(good[i], NULL, 1) != NULL, good[i]);
	}
	unit_arena_end(&unit);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		CHECK_ROW(!scan_is_json(bad[i], strlen(bad[i])), bad[i]);
}

static void strings_hold_no_nul_and_no_half_of_a_character(void)
{
	static const char *const bad[] = {
		"\"\\u0000\"",
		"\"\\\\\\u0000\"",
		"{\"\\u0000\":1}",
		"\"\\ud800\"",
		"\"\\ud800\\u0041\"",
		"\"\\ud800\\ud800\"",
		"\"\\udc00\"",
		"\"\\ud800x\"",
		"\"\\ud83d\\",
		"\"\xff\"",
		"\"\x80\"",
		"\"\xc3\"",
		"\"\xc0\xaf\"",
		"\"\xe2\x82\"",
		"\"\xed\xa0\x80\"",
		"\"\xf0\x9f\x98\"",
		"\"\xf4\x90\x80\x80\"",
		"\"\xf0",
	};

	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		CHECK_ROW(!scan_is_json(bad[i], strlen(bad[i])), bad[i]);
	CU_ASSERT(scan_is_json("\"\\\\u0000\"", 9));
	CU_ASSERT(!scan_is_json("{}\0{}", 5));
	CU_ASSERT(!scan_is_json("\"a\0b\"", 5));
	CU_ASSERT(!scan_is_json("1\0", 2));
}

/* Every byte of a string, by itself: ASCII that is neither control character, quote nor backslash, and no other. */
static void a_byte_stands_for_itself_or_does_not(void)
{
	for (int c = 1; c < 256; c++) {
		char text[] = {'"', (char)c, '"', '\0'};
		bool plain = c >= 0x20 && c < 0x80 && c != '"' && c != '\\';

		CHECK_ROW(scan_is_json(text, 3) == plain, text);
	}
}

static void nesting_ends_at_1000_levels(void)
{
	char text[2 * (SCAN_DEPTH_MAX + 1) + 1];

	for (size_t depth = SCAN_DEPTH_MAX; depth <= SCAN_DEPTH_MAX + 1; depth++) {
		memset(text, '[', depth);
		memset(text + depth, ']', depth);
		text[2 * depth] = '\0';
		CU_ASSERT(scan_is_json(text, 2 * depth) == (depth == SCAN_DEPTH_MAX));
	}
}

int add_scan_suite(void)
{
	static const struct unit_test tests[] = {
		{"JSON is what RFC 8259 says", json_is_what_rfc_8259_says},
		{"strings hold no NUL and no half of a character", strings_hold_no_nul_and_no_half_of_a_character},
		{"a byte stands for itself, or does not", a_byte_stands_for_itself_or_does_not},
		{"nesting ends at 1,000 levels", nesting_ends_at_1000_levels},
		{NULL, NULL},
	};

	return add_suite("scan", tests);
}
