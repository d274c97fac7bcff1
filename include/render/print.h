/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_PRINT_H
#define RENDER_PRINT_H

#include <stdbool.h>
#include <stdio.h>

#include "render/report.h"

/*
 * What all printers of `render` share. Each form of output has a printer of its own: print_text.h, print_data.h and
 * print_env.h. For each set, `begin` comes first, then `pod` for each pod, then `end`. Everything is printed as soon
 * as it is known and nothing is kept, because the values of a large group together take hundreds of megabytes. Write
 * errors stay in the file (ferror). Not thread-safe.
 */

enum {
	PRINT_ENDS = 5,         /* of a long list of pods, this many of the first and of the last are shown */
	PRINT_VALUE_MAX = 1000, /* bytes of a value to be read; a longer one is cut */
};

struct print {
	FILE *file;     /* borrowed */
	bool whole;     /* no value is cut */
	bool follows;   /* something was printed before this set */
	unsigned pods;  /* pods of this set printed so far */
	int name_width; /* columns of the longest pod name in the set */
	int task_width; /* columns of the longest "worker 10" in the set */
};

struct printer {
	void (*begin)(struct print *print, const struct set_report *set);
	void (*pod)(struct print *print, const struct pod_report *pod);
	void (*left_out)(struct print *print,
			 unsigned count); /* pods between two printed ones; NULL: all are printed */
	void (*end)(struct print *print); /* NULL: there is nothing to end */
};

enum { PRINT_COUNT_MAX = 16 }; /* bytes of a count as text, with its NUL */

/* Writes a count with separators, as in "2,990". Returns ret_text. */
const char *print_count(char ret_text[PRINT_COUNT_MAX], unsigned count);

/* The warnings of a set, one per line. */
void print_warnings(FILE *file, const struct set_report *set);

#endif
