/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_SCAN_H
#define BASE_SCAN_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Finds where a JSON value ends, and thus whether it is one: strictly by RFC 8259, in UTF-8, without a NUL in any
 * string (\u0000) and without half a surrogate pair. It allocates nothing and does not recurse. cJSON accepts whatever
 * passes here, and changes nothing of it except for numbers that a double can't hold.
 *
 * Texts end with '\0', which no value contains: it ends every loop, so no function takes a length. Each returns the
 * first byte after what it read, or NULL if that is not well-formed.
 */

enum { SCAN_DEPTH_MAX = 1000 }; /* arrays and objects inside each other; CJSON_NESTING_LIMIT */

/* The objects and arrays that are open; the caller keeps it. `objects` is true for an object. */
struct scan {
	size_t depth;
	bool objects[SCAN_DEPTH_MAX];
};

/* Skips blanks; never NULL. */
const char *scan_blanks(const char *at);

/* A string, starting at its opening quote. */
const char *scan_string(const char *at);

/* Any value, with the blanks before it. Nesting counts from scan->depth, which is the same afterwards. */
const char *scan_value(struct scan *scan, const char *at);

/* Steps into an object or array. False if that is too deep. */
bool scan_enter(struct scan *scan, bool object);
void scan_leave(struct scan *scan);

/* Whether the len bytes are one value with blanks around it. text[len] must be '\0'. */
bool scan_is_json(const char *text, size_t len);

#endif
