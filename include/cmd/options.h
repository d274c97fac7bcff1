#ifndef CMD_OPTIONS_H
#define CMD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

/*
 * A command's settings as one table: the flag, its environment variable, its type, default and help. The parser, --help,
 * --print-config and the README's table all come from it.
 *
 * A value comes from the command line, else from the environment (where the command has a prefix), else it is the
 * default. Everything is checked, also what the environment holds, and the error names the flag or the variable, the
 * value and what is allowed.
 */

enum option_type {
	OPTION_FLAG,     /* bool: present or not; "true" or "false" in the environment */
	OPTION_STRING,   /* const char *: borrowed from argv, the environment or the table; not empty */
	OPTION_NAME,     /* const char *: a DNS label */
	OPTION_DOMAIN,   /* const char *: a DNS name without a final dot; may be empty only as default */
	OPTION_IMAGE,    /* const char *: a container image, of which it is known that it holds no blanks */
	OPTION_ADDRESS,  /* const char *: ADDR:PORT, where ADDR may be empty or in brackets and PORT is 0 to 65535 */
	OPTION_COUNT,    /* unsigned: min to max */
	OPTION_SIZE,     /* size_t, bytes: a number with Ki, Mi or Gi, or bytes; min to max in bytes */
	OPTION_DURATION, /* unsigned, seconds: "10s", "2m", "1h" or seconds; min to max in seconds */
	OPTION_ENUM,     /* unsigned: the position in a list of words, `choices`, NULL at its end */
	OPTION_LIST,     /* struct option_list: a string each time that the flag is given */
};

enum { OPTION_LIST_MAX = 100 }; /* strings that a list may have */

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
	uint64_t min, max;    /* of numbers, which may be as large as the field */
	const char *const *choices;
	bool required;
	bool hidden; /* for tests: help does not tell of it */
};

enum option_source { OPTION_FROM_DEFAULT, OPTION_FROM_ENVIRONMENT, OPTION_FROM_FLAG };

enum { OPTIONS_MAX = 40 }; /* entries that a table may have */

struct options {
	const struct option *table;
	const char *env_prefix;        /* "TFCONFIG_WEBHOOK_"; NULL: the command reads no environment */
	const char *text[OPTIONS_MAX]; /* each setting as its source wrote it; NULL: none */
	enum option_source source[OPTIONS_MAX];
};

/*
 * Reads argv (without the command's own name) into the struct that `values` points to, each field as its option's type
 * says. "--flag value" and "--flag=value" both work. Returns -1 with ERROR_USAGE for what is wrong or missing.
 */
MUST_CHECK int options_parse(struct options *options, const struct option *table, const char *env_prefix, int argc,
			     char *const *argv, void *values, struct error *err);

/* Whether the flag or its variable was given. */
bool options_is_set(const struct options *options, const char *flag);

/*
 * Where argv asks for --help or -h, prints the usage and the table to stdout and returns true; for --help=markdown, the
 * table alone, as the README has it.
 */
bool options_help(int argc, char *const *argv, const char *usage, const struct option *table, const char *env_prefix);

/* One line a setting: "--listen [::]:8443 (default)", "(from TFCONFIG_WEBHOOK_LISTEN)" or "(from the command line)". */
void options_print_config(FILE *file, const struct options *options);

#endif
