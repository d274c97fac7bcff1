/* SPDX-License-Identifier: Apache-2.0 */
#include "net/log_line.h"

#include <stdalign.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/compiler.h"
#include "base/rfc3339.h"
#include "base/text.h"

enum {
	TIME_MAX = RFC3339_SIZE + sizeof(".678901"),
	SCRATCH_SIZE = 24 * 1024, /* LOG_FIELDS_MAX cJSON nodes with texts of LOG_TEXT_MAX, and some more */
};

const char *const log_level_names[] = {
	[LOG_LEVEL_DEBUG] = "debug", [LOG_LEVEL_INFO] = "info",    [LOG_LEVEL_WARNING] = "warning",
	[LOG_LEVEL_ERROR] = "error", [LOG_LEVEL_ERROR + 1] = NULL,
};

static void format_time(char ret_text[TIME_MAX], const struct timespec *when)
{
	char seconds[RFC3339_SIZE];

	rfc3339_write(when->tv_sec, seconds);
	snprintf(ret_text, TIME_MAX, "%.*s.%06uZ", (int)strcspn(seconds, "Z"), seconds,
		 (unsigned)(when->tv_nsec / 1000) % 1000000);
}

/* The text cut to `max` bytes and made valid UTF-8. */
static void add_text(cJSON *line, struct arena *arena, const char *name, const char *text, size_t max)
{
	size_t len = strnlen(text, max + 1);
	char *cut = arena_strndup(arena, text, text_clip(text, len, max));

	if (!cut)
		return;
	if (!text_is_utf8(cut, strlen(cut))) {
		for (char *c = cut; *c; c++) {
			if ((unsigned char)*c >= 0x80)
				*c = '?';
		}
	}
	cJSON_AddItemToObjectCS(line, name, cJSON_CreateStringReference(cut));
}

/* As raw digits: cJSON would convert to a double, and back to check for loss. */
static void add_number(cJSON *line, struct arena *arena, const char *name, long long number)
{
	const char *digits = arena_printf(arena, "%lld", number);

	if (digits)
		cJSON_AddItemToObjectCS(line, name, cJSON_CreateRaw(digits));
}

static cJSON *build(struct arena *arena, const struct timespec *when, enum log_level level, const char *msg,
		    const struct log_field *fields, size_t text_max)
{
	cJSON *line = cJSON_CreateObject();
	char time[TIME_MAX];

	format_time(time, when);
	add_text(line, arena, "time", time, sizeof(time));
	add_text(line, arena, "level", log_level_names[level], text_max);
	add_text(line, arena, "msg", msg, text_max);
	for (size_t i = 0; fields && fields[i].name && i < LOG_FIELDS_MAX; i++) {
		if (fields[i].text)
			add_text(line, arena, fields[i].name, fields[i].text, text_max);
		else
			add_number(line, arena, fields[i].name, fields[i].number);
	}
	return line;
}

size_t log_line_format(char ret_line[LOG_LINE_MAX], const struct timespec *when, enum log_level level, const char *msg,
		       const struct log_field *fields)
{
	/* An escaped byte takes up to 6, so the last of these lengths always fits. */
	static const size_t text_lengths[] = {LOG_TEXT_MAX, LOG_TEXT_MAX / 4, LOG_TEXT_MAX / 16};
	alignas(max_align_t) char scratch[SCRATCH_SIZE] UNINITIALIZED;
	struct arena arena;
	struct arena *outer;
	size_t len = 0;

	arena_init_fixed(&arena, scratch, sizeof(scratch));
	outer = arena_enter(&arena);
	for (size_t i = 0; i < ARRAY_LEN(text_lengths) && len == 0; i++) {
		cJSON *line;

		arena_reset(&arena);
		line = build(&arena, when, level, msg, fields, text_lengths[i]);
		if (arena.state == ARENA_OK && cJSON_PrintPreallocated(line, ret_line, LOG_LINE_MAX - 1, 0))
			len = strlen(ret_line);
	}
	arena_enter(outer);
	ret_line[len++] = '\n';
	ret_line[len] = '\0';
	return len;
}
