/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_YAML_H
#define RENDER_YAML_H

#include <stddef.h>

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/error.h"
#include "render/notes.h"
#include "render/yaml_text.h"

/*
 * Reads one YAML document into JSON the way kubectl does: YAML 1.1 as go-yaml v2 understands it (see scalar.h), of
 * which JSON is a part. libfyaml parses the text; anchors, aliases and merge keys are resolved here, so that their
 * growth is bounded. Threads may read at the same time, each with an arena and notes of its own.
 *
 * - Of equal keys the last one counts, with a note. The members of a merge key (<<) count at its place: they replace
 *   what is above them, as in kubectl.
 * - A text has one document: if another one starts after it, that is an error.
 */

enum {
	YAML_DEPTH_MAX = 500,     /* nested collections */
	YAML_ANCHORS_MAX = 1000,  /* in one document */
	YAML_COPIES_MAX = 200000, /* values that all aliases in one document may add */
};

/*
 * Returns 0 and the tree, which lives in the arena, or NULL if there is no document or it is empty. Returns -1 with
 * ERROR_INVALID, whose message begins with "<name>:<line>:<column>: ", or with ERROR_NO_MEMORY.
 */
MUST_CHECK int yaml_read(struct arena *arena, const struct yaml_text *text, struct notes *notes, cJSON **ret_tree,
			 struct error *err);

#endif
