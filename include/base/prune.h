/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_PRUNE_H
#define BASE_PRUNE_H

#include <stddef.h>

#include "base/arena.h"

/*
 * Checks a JSON text as scan.h does and leaves out the members that no rule reads, so that the parser does not build a
 * tree of them: they are most of a review.
 *
 * What to keep is a table of tables: the names of an object's members, and for each what to keep of its value. A table
 * applies to an object, and to each object of an array; any other value is kept as it is, as are all elements of
 * arrays, the order of members, and names that occur twice. So code that asks for members in the table finds the same
 * in the pruned text as in the whole one.
 */

struct prune_member {
	const char *name;                 /* NULL: the table's end; "x/": all names that start with it */
	const struct prune_member *below; /* NULL: the whole value is kept */
};

enum prune_result {
	PRUNE_OK,
	PRUNE_NOT_JSON,
	PRUNE_NO_MEMORY, /* the arena's state says why */
};

/*
 * Writes what `members` keeps of the text into the arena, *ret_len bytes and '\0'. text[len] must be '\0'. It takes no
 * more memory than that, except for small texts while they are pruned. A large text of which nearly everything is kept
 * is not copied: the text itself is returned, unpruned.
 */
MUST_CHECK enum prune_result prune(struct arena *arena, const char *text, size_t len,
				   const struct prune_member *members, const char **ret_text, size_t *ret_len);

#endif
