/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <cjson/cJSON.h>

#include "base/text.h"
#include "net/log_line.h"
#include "suites.h"
#include "unit.h"

static const struct timespec instant = {.tv_sec = 1767323045, .tv_nsec = 678901234};

static void a_line_is_one_object_with_its_fields_in_order(void)
{
	char line[LOG_LINE_MAX];
	const size_t len =
		log_line_format(line, &instant, LOG_LEVEL_WARNING, "review",
				LOG_FIELDS(LOG_TEXT("uid", "a\"b\\c\n"), LOG_NUMBER("code", 422), LOG_TEXT("empty", ""),
					   LOG_NUMBER("index", -1), LOG_NUMBER("large", 9007199254740993)));

	CHECK_STRING(
		line,
		"{\"time\":\"2026-01-02T03:04:05.678901Z\",\"level\":\"warning\",\"msg\":\"review\","
		"\"uid\":\"a\\\"b\\\\c\\n\",\"code\":422,\"empty\":\"\",\"index\":-1,\"large\":9007199254740993}\n");
	CU_ASSERT(len == strlen(line));
}

static void an_event_needs_no_fields(void)
{
	char line[LOG_LINE_MAX];

	log_line_format(line, &instant, LOG_LEVEL_DEBUG, "stopped", NULL);
	CHECK_STRING(line, "{\"time\":\"2026-01-02T03:04:05.678901Z\",\"level\":\"debug\",\"msg\":\"stopped\"}\n");
}

/* The value of a line's member, in an arena of its own. */
static const char *member_of(const char *line, const char *name, char *out, size_t size)
{
	struct unit_arena unit;
	const cJSON *member;

	unit_arena_begin(&unit);
	member = cJSON_GetObjectItemCaseSensitive(cJSON_Parse(line), name);
	CU_ASSERT(cJSON_IsString(member));
	out[0] = '\0';
	if (cJSON_IsString(member))
		strncat(out, member->valuestring, size - 1);
	unit_arena_end(&unit);
	return out;
}

static void a_long_text_is_cut_between_two_characters(void)
{
	char text[3 * LOG_TEXT_MAX + 1];
	char line[LOG_LINE_MAX], value[LOG_LINE_MAX];

	/* LOG_TEXT_MAX is not a multiple of 3: the cut falls into a character. */
	for (size_t i = 0; i < LOG_TEXT_MAX; i++)
		memcpy(text + 3 * i, "\xe2\x82\xac", 3);
	text[3 * LOG_TEXT_MAX] = '\0';
	log_line_format(line, &instant, LOG_LEVEL_INFO, "review", LOG_FIELDS(LOG_TEXT("name", text)));
	member_of(line, "name", value, sizeof(value));
	CU_ASSERT(strlen(value) == LOG_TEXT_MAX / 3 * 3);
	CU_ASSERT(strncmp(value, text, strlen(value)) == 0);
}

static void a_text_of_exactly_the_maximum_is_kept(void)
{
	char text[LOG_TEXT_MAX + 1];
	char line[LOG_LINE_MAX], value[LOG_LINE_MAX];

	memset(text, 'x', LOG_TEXT_MAX);
	text[LOG_TEXT_MAX] = '\0';
	log_line_format(line, &instant, LOG_LEVEL_INFO, "review", LOG_FIELDS(LOG_TEXT("name", text)));
	CHECK_STRING(member_of(line, "name", value, sizeof(value)), text);
}

static void texts_that_need_many_escapes_are_cut_shorter_but_no_field_is_lost(void)
{
	char text[2 * LOG_TEXT_MAX];
	char line[LOG_LINE_MAX], value[LOG_LINE_MAX];
	struct log_field fields[LOG_FIELDS_MAX + 1] = {{.name = NULL}};
	size_t len;

	memset(text, '\1', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	for (size_t i = 0; i < LOG_FIELDS_MAX; i++)
		fields[i] = LOG_TEXT("field", text);
	fields[LOG_FIELDS_MAX - 1] = LOG_TEXT("last", "here");
	len = log_line_format(line, &instant, LOG_LEVEL_INFO, "review", fields);
	CU_ASSERT(len < LOG_LINE_MAX && line[len - 1] == '\n' && strlen(line) == len);
	CHECK_STRING(member_of(line, "last", value, sizeof(value)), "here");
}

static void bytes_that_are_not_utf8_become_question_marks(void)
{
	char line[LOG_LINE_MAX], value[LOG_LINE_MAX];

	log_line_format(line, &instant, LOG_LEVEL_INFO, "review", LOG_FIELDS(LOG_TEXT("file", "a\xff\xc3z")));
	CU_ASSERT(text_is_utf8(line, strlen(line)));
	CHECK_STRING(member_of(line, "file", value, sizeof(value)), "a??z");
}

static void the_threads_arena_is_as_it_was(void)
{
	char line[LOG_LINE_MAX];
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);
	const size_t left = arena->left;

	log_line_format(line, &instant, LOG_LEVEL_INFO, "review", LOG_FIELDS(LOG_TEXT("name", "x")));
	CU_ASSERT(arena->left == left);
	CU_ASSERT(arena_enter(arena) == arena);
	unit_arena_end(&unit);
}

int add_log_line_suite(void)
{
	static const struct unit_test tests[] = {
		{"a line is one object with its fields in order", a_line_is_one_object_with_its_fields_in_order},
		{"an event needs no fields", an_event_needs_no_fields},
		{"a long text is cut between two characters", a_long_text_is_cut_between_two_characters},
		{"a text of exactly the maximum is kept", a_text_of_exactly_the_maximum_is_kept},
		{"texts that need many escapes are cut shorter, but no field is lost",
		 texts_that_need_many_escapes_are_cut_shorter_but_no_field_is_lost},
		{"bytes that are not UTF-8 become question marks", bytes_that_are_not_utf8_become_question_marks},
		{"the thread's arena is as it was", the_threads_arena_is_as_it_was},
		{NULL, NULL},
	};

	return add_suite("log_line", tests);
}
