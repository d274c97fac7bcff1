/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_OPTIONS_H
#define CMD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"
#include "cmd/option.h"

/*
 * A command's settings as one table: flag, environment variable, type, default and help. The parser, --help,
 * --print-config, docs/settings.md and the manual page all come from it.
 *
 * A value comes from the command line, else from the environment (if the command has a prefix), else it is the default.
 * Everything is checked, including the environment, and an error names the flag or variable, the value and what is
 * allowed. Not thread-safe: reads the environment.
 */

enum option_source { OPTION_FROM_DEFAULT, OPTION_FROM_ENVIRONMENT, OPTION_FROM_FLAG };

enum { OPTIONS_MAX = 40 }; /* entries that a table may have */

/* A command's options: the caller fills in the first four, then options_parse the rest. Everything is borrowed. */
struct options {
	const struct option *table;
	const char *usage;             /* the text before the table in --help */
	const char *env_prefix;        /* "TFCONFIG_WEBHOOK_"; NULL: the command reads no environment */
	void *settings;                /* the command's struct, which the offsets of the table are of */
	const char *text[OPTIONS_MAX]; /* each value as its source wrote it; NULL: none */
	enum option_source source[OPTIONS_MAX];
};

/*
 * Reads argv (without the command's own name) into *options->settings. "--flag value" and "--flag=value" both work.
 * Returns -1 with ERROR_USAGE if something is wrong or missing.
 */
MUST_CHECK int options_parse(struct options *options, int argc, char *const *argv, struct error *err);

/* Whether the flag or its variable was given. */
bool options_is_set(const struct options *options, const char *flag);

/*
 * If argv asks for --help or -h, prints the usage and the table to stdout and returns true; for --help=markdown, only
 * the table, as in docs/settings.md.
 */
bool options_help(const struct options *options, int argc, char *const *argv);

/*
 * One line per setting: "--listen [::]:8443 (default)", "(from TFCONFIG_WEBHOOK_LISTEN)" or "(from the command line)".
 */
void options_print_config(FILE *file, const struct options *options);

#endif
