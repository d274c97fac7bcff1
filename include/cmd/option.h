/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_OPTION_H
#define CMD_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

/*
 * One setting of a command, and what its type means: which texts are allowed, and how they are stored. Thread-safe.
 */

enum option_type {
	OPTION_FLAG,     /* bool: present or not; "true" or "false" in the environment */
	OPTION_STRING,   /* const char *: borrowed from argv, the environment or the table; not empty */
	OPTION_NAME,     /* const char *: a DNS label */
	OPTION_DOMAIN,   /* const char *: a DNS name without a final dot; only the default may be "" */
	OPTION_IMAGE,    /* const char *: a container image; checked only for blanks and bytes outside ASCII */
	OPTION_ADDRESS,  /* const char *: ADDR:PORT, where ADDR may be empty or in brackets and PORT is 0 to 65535 */
	OPTION_COUNT,    /* unsigned: min to max */
	OPTION_SIZE,     /* size_t, bytes: a number with Ki, Mi or Gi, or bytes; min to max in bytes */
	OPTION_DURATION, /* unsigned, seconds: "10s", "2m", "1h" or seconds; min to max in seconds */
	OPTION_ENUM,     /* unsigned: the position in a list of words, `choices`, NULL at its end */
	OPTION_LIST,     /* struct option_list: one string each time the flag is given */
	OPTION_TYPES
};

enum { OPTION_LIST_MAX = 100 }; /* strings in a list */

struct option_list {
	const char *texts[OPTION_LIST_MAX]; /* borrowed, as given */
	size_t len;
};

struct option {
	const char *flag;  /* "--listen"; NULL ends the table */
	const char *alias; /* another name of it, "-n"; NULL: none */
	enum option_type type;
	size_t offset;        /* of the field in the command's struct */
	const char *fallback; /* the default, as a user would write it; NULL: none (a flag is false, a string NULL) */
	const char *value;    /* how --help names the value: "ADDR:PORT"; NULL for OPTION_FLAG */
	const char *help;     /* one line, no full stop at its end */
	uint64_t min, max;    /* of numbers; the field must be able to hold max */
	const char *const *choices;
	bool required;
	bool hidden; /* for tests: --help leaves it out */
};

enum { OPTION_ALLOWED_MAX = 256 }; /* bytes of what is allowed, with its NUL */

/*
 * Checks the text and stores its value in the option's field of `settings`, the command's struct; texts are borrowed.
 * Returns false, with nothing stored, if the text is not allowed.
 */
MUST_CHECK bool option_store(const struct option *option, const char *text, void *settings);

/* Stores the default, or the zero of the type if there is none. Returns false if the table's default is not allowed. */
MUST_CHECK bool option_store_default(const struct option *option, void *settings);

/* What the option allows, for the end of an error: "true or false". */
void option_describe_allowed(const struct option *option, char ret_text[OPTION_ALLOWED_MAX]);

#endif
