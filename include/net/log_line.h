/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NET_LOG_LINE_H
#define NET_LOG_LINE_H

#include <stddef.h>
#include <time.h>

/*
 * One line of the log as a JSON object: "time" (RFC 3339, UTC), "level", "msg", then the fields of the event.
 */

enum log_level { LOG_LEVEL_DEBUG, LOG_LEVEL_INFO, LOG_LEVEL_WARNING, LOG_LEVEL_ERROR };

/* The levels' names in the order of the enum, NULL at the end: the choices of an option. */
extern const char *const log_level_names[];

enum {
	LOG_LINE_MAX = 12 * 1024, /* bytes of a line, with its newline */
	LOG_TEXT_MAX = 1024,      /* bytes of one text; a longer one is cut between two characters */
	LOG_FIELDS_MAX = 16,      /* fields of an event; more are left out */
};

/* One member of the object. Texts are borrowed for the call. */
struct log_field {
	const char *name; /* NULL ends a list */
	const char *text; /* NULL: the value is the number */
	long long number;
};

#define LOG_TEXT(field_name, field_text)     ((struct log_field){.name = (field_name), .text = (field_text)})
#define LOG_NUMBER(field_name, field_number) ((struct log_field){.name = (field_name), .number = (field_number)})
#define LOG_FIELDS(...)                      ((const struct log_field[]){__VA_ARGS__, {.name = NULL}})

/*
 * Writes the line of an event, ending with a newline and a NUL, and returns its length without the NUL. `fields` may be
 * NULL. Texts are cut shorter if they need so many escapes that the line would be too long; bytes that are not UTF-8
 * become '?'. Thread-safe. Allocates nothing, but uses some 25 KiB of stack.
 */
size_t log_line_format(char ret_line[LOG_LINE_MAX], const struct timespec *when, enum log_level level, const char *msg,
		       const struct log_field *fields);

#endif
