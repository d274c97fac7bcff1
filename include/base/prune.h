#ifndef BASE_PRUNE_H
#define BASE_PRUNE_H

#include <stddef.h>

#include "base/arena.h"

/*
 * Checks a JSON text as scan.h does and leaves out the members that nobody will read, so that the parser behind it
 * makes no tree of them: of a review, that is most.
 *
 * What stays is a table of tables: the names of an object's members, and below each what stays of its value. A table
 * counts for an object, and for each object of an array; any other value stays as it is, as do all elements of arrays,
 * the order of members, and names that are written twice. So a reader who asks for what the table holds finds the same
 * in the pruned text as in the whole.
 */

struct prune_member {
	const char *name;                 /* NULL: the table's end; "x/" with a slash at its end: all that begin so */
	const struct prune_member *below; /* NULL: the whole value stays */
};

enum prune_result {
	PRUNE_OK,
	PRUNE_NOT_JSON,
	PRUNE_NO_MEMORY, /* the arena's state says why */
};

/*
 * Writes what `members` keeps of the text into the arena, *ret_len bytes and '\0'. text[len] must be '\0'. It takes no
 * more memory than that, but for small texts while they are pruned; a large text of which nearly all stays is not
 * copied but returned, whole.
 */
MUST_CHECK enum prune_result prune(struct arena *arena, const char *text, size_t len,
				   const struct prune_member *members, const char **ret_text, size_t *ret_len);

#endif
