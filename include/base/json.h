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
 * absent, null or of another type reads as NULL, and a text is refused whose strings cJSON would change.
 *
 * Every tree lives in the arena that the thread has entered (arena_enter) and ends with it.
 */

/*
 * Parses one JSON text of len bytes; text[len] must be '\0'. Refuses what scan.h does: what is not JSON in UTF-8, an
 * embedded NUL (raw or \u0000, which cJSON would cut strings at), anything behind the value, and nesting deeper than
 * 1,000. Returns NULL with ERROR_INVALID, or with ERROR_NO_MEMORY where the arena ended the parse.
 */
MUST_CHECK cJSON *json_parse(struct arena *arena, const char *text, size_t len, struct error *err);

/* As json_parse, and refuses the same, but makes a tree of the members alone that the table keeps (see prune.h). */
MUST_CHECK cJSON *json_parse_members(struct arena *arena, const char *text, size_t len,
				     const struct prune_member *members, struct error *err);

/* The member, of any type, or NULL. `object` may be NULL or no object. */
cJSON *json_get(const cJSON *object, const char *name);

/* The member where it is an object, an array or a string; else NULL. */
cJSON *json_get_object(const cJSON *object, const char *name);
cJSON *json_get_array(const cJSON *object, const char *name);
const char *json_get_string(const cJSON *object, const char *name);

/* True where the member is `true`. */
bool json_get_true(const cJSON *object, const char *name);

/* Reads a whole number from 0 to max; an absent or null member reads as `fallback`. False where it is anything else. */
bool json_get_unsigned(const cJSON *object, const char *name, unsigned fallback, unsigned max, unsigned *ret_number);

/*
 * True where both objects hold equal members in the same order, but for those whose name `skip` picks (NULL: none). An
 * absent or null object counts as empty. API servers write the members of a kind in one order, so two versions of an
 * object are compared by a walk side by side; a text in another order reads as different, which is the safe side for
 * a caller who asks whether something changed.
 */
bool json_members_equal(const cJSON *a, const cJSON *b, bool (*skip)(const char *name));

/*
 * Building. Like cJSON's functions these take NULL and pass failure on: the arena's state tells at the end. Names and
 * strings are borrowed until the arena's reset.
 */
void json_add(cJSON *object, const char *name, cJSON *item);
void json_add_string(cJSON *object, const char *name, const char *string);

/* A value that is JSON already, borrowed as well. */
void json_add_raw(cJSON *object, const char *name, const char *json);

/* One line without blanks in the arena; NULL where the arena ended the printing, or what was built before it. */
char *json_print(struct arena *arena, const cJSON *item);

#endif
