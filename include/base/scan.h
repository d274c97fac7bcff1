#ifndef BASE_SCAN_H
#define BASE_SCAN_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Finds where a JSON value ends, and so whether it is one: strictly by RFC 8259, in UTF-8, without a NUL in any string
 * (\u0000) and without half a surrogate pair. It allocates nothing and does not recurse. What passes here cJSON takes;
 * it changes nothing but numbers that a double can't hold.
 *
 * Texts end with '\0', which no value holds: it ends every loop, so no function takes a length. Each returns the first
 * byte behind what it read, or NULL where that is not well formed.
 */

enum { SCAN_DEPTH_MAX = 1000 }; /* arrays and objects in each other; CJSON_NESTING_LIMIT */

/* The objects and arrays that are open, for the caller to keep: an object where true. */
struct scan {
	size_t depth;
	bool objects[SCAN_DEPTH_MAX];
};

/* Passes over blanks; never NULL. */
const char *scan_blanks(const char *at);

/* A string, from its opening quote on. */
const char *scan_string(const char *at);

/* Any value, blanks before it included. The depth it begins at counts, and is the same behind it. */
const char *scan_value(struct scan *scan, const char *at);

/* Steps into an object or array. False where that is too deep. */
bool scan_enter(struct scan *scan, bool object);
void scan_leave(struct scan *scan);

/* True where the len bytes are one value and blanks around it. text[len] must be '\0'. */
bool scan_is_json(const char *text, size_t len);

#endif
