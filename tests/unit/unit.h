/* SPDX-License-Identifier: Apache-2.0 */
#ifndef UNIT_H
#define UNIT_H

#include <stddef.h>

#include <CUnit/Basic.h>

#include "base/arena.h"

/*
 * What the suites share. No *_FATAL asserts: they leave by longjmp and leak what the test holds.
 */

struct unit_test {
	const char *name; /* the rule, in words */
	void (*run)(void);
};

/* Registers a suite of tests, NULL at the end. */
int add_suite(const char *name, const struct unit_test *tests);

/* An arena that this thread has entered, large enough for any test; unit_arena_end leaves and releases it. */
struct unit_arena {
	struct budget budget;
	struct arena arena;
	struct arena *before;
};

struct arena *unit_arena_begin(struct unit_arena *unit);
void unit_arena_end(struct unit_arena *unit);

/* Asserts that two strings are equal and prints both where they differ, or are NULL. */
#define CHECK_STRING(actual, expected) CU_ASSERT(check_string(actual, expected, __FILE__, __LINE__))
int check_string(const char *actual, const char *expected, const char *file, int line);

/* Asserts, and prints what a table's row was about where it fails. */
#define CHECK_ROW(condition, row) CU_ASSERT(check_row(condition, row, __FILE__, __LINE__))
int check_row(int condition, const char *row, const char *file, int line);

#endif
