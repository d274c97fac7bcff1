/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/prune.h"

/*
 * Reading JSON with cJSON, with the care that cJSON leaves to its callers: names are compared case-sensitively, what is
 * absent, null or of another type reads as NULL, and a text whose strings cJSON would change is refused.
 *
 * Every tree lives in the arena that the thread has entered (arena_enter), until that arena is reset.
 */

/*
 * Parses one JSON text of len bytes; text[len] must be '\0'. Refuses what scan.h does: what is not JSON in UTF-8, an
 * embedded NUL (raw or \u0000, where cJSON would cut the string), anything after the value, and nesting deeper than
 * 1,000. Returns NULL with ERROR_INVALID, or with ERROR_NO_MEMORY if the arena ran out.
 */
MUST_CHECK cJSON *json_parse(struct arena *arena, const char *text, size_t len, struct error *err);

/* Like json_parse, and refuses the same, but the tree holds only the members that the table keeps (see prune.h). */
MUST_CHECK cJSON *json_parse_members(struct arena *arena, const char *text, size_t len,
				     const struct prune_member *members, struct error *err);

/* The member, of any type, or NULL. `object` may be NULL or of another type. */
cJSON *json_get(const cJSON *object, const char *name);

/* The member if it is an object, an array or a string; else NULL. */
cJSON *json_get_object(const cJSON *object, const char *name);
cJSON *json_get_array(const cJSON *object, const char *name);
const char *json_get_string(const cJSON *object, const char *name);

/* Whether the member is `true`. */
bool json_get_true(const cJSON *object, const char *name);

/* Reads a whole number from 0 to max; an absent or null member reads as `fallback`. False if it is anything else. */
bool json_get_unsigned(const cJSON *object, const char *name, unsigned fallback, unsigned max, unsigned *ret_number);

/*
 * Whether both objects hold equal members in the same order, except for those whose name `skip` picks (NULL: none). An
 * absent or null object counts as empty. API servers write the members of a kind in a fixed order, so two versions of
 * an object are compared side by side; members in another order count as different, which is the safe answer for a
 * caller that asks whether something changed.
 */
bool json_members_equal(const cJSON *a, const cJSON *b, bool (*skip)(const char *name));

/*
 * Building. Like cJSON's functions these accept NULL and pass failure on: check the arena's state at the end. Names and
 * strings are borrowed until the arena's reset.
 */
void json_add(cJSON *object, const char *name, cJSON *item);
void json_add_string(cJSON *object, const char *name, const char *string);

/* A value that is JSON already, also borrowed. */
void json_add_raw(cJSON *object, const char *name, const char *json);

/* One line without blanks, in the arena; NULL if the arena ran out, now or while the tree was built. */
char *json_print(struct arena *arena, const cJSON *item);

#endif
