/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_DOCUMENT_WALK_H
#define RENDER_DOCUMENT_WALK_H

#include <stddef.h>

#include "base/error.h"
#include "render/yaml_text.h"

/*
 * A walk over the documents of a file. kubectl splits a file before it parses any YAML, at each line that begins with
 * ---, which may be followed only by a comment. Not thread-safe.
 */

struct document_walk {
	struct yaml_text document; /* the current one; it may be blank */
	/* private */
	const char *rest;
	size_t rest_len;
	unsigned line; /* where the rest starts */
};

/* `name` is the name of the file, for messages. Both texts are borrowed for the walk. */
void document_walk_init(struct document_walk *walk, const char *name, const char *text, size_t len);

/* Moves to the first or next document. Returns 1, 0 at the end, or -1 with ERROR_INVALID for text after a separator. */
MUST_CHECK int document_walk_next(struct document_walk *walk, struct error *err);

#endif
