#ifndef RENDER_YAML_H
#define RENDER_YAML_H

#include <stddef.h>

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/error.h"
#include "render/notes.h"
#include "render/yaml_text.h"

/*
 * One YAML document as JSON, read as kubectl reads it: YAML 1.1 as go-yaml v2 understands it (see scalar.h), JSON as a
 * part of it. libfyaml takes the text apart; anchors, aliases and merge keys are resolved here, so that what they grow
 * to has a bound.
 *
 * - Of two equal keys the last one counts, with a note. The members of a merge key (<<) count at the place where it
 *   stands: they replace what is above them, as in kubectl.
 * - A text ends with its first document; what follows a "..." is passed over, with a note.
 */

enum {
	YAML_DEPTH_MAX = 500,     /* collections in one another */
	YAML_ANCHORS_MAX = 1000,  /* of one document */
	YAML_COPIES_MAX = 200000, /* values that all aliases of one document may add */
};

/*
 * Returns 0 and the tree, which lives in the arena, or NULL where there is no document or it is empty. Returns -1 with
 * ERROR_INVALID, whose message begins with "<name>:<line>:<column>: ", or with ERROR_NO_MEMORY.
 */
MUST_CHECK int yaml_read(struct arena *arena, const struct yaml_text *text, struct notes *notes, cJSON **ret_tree,
			 struct error *err);

#endif
