#ifndef RENDER_DOCUMENT_WALK_H
#define RENDER_DOCUMENT_WALK_H

#include <stddef.h>

#include "base/error.h"
#include "render/yaml_text.h"

/*
 * A walk over the documents of a file. kubectl takes a file apart before it reads any YAML: at each line that begins
 * with ---, which may hold a comment and nothing else.
 */

struct document_walk {
	struct yaml_text document; /* the one in hand; it may be blank */
	/* private */
	const char *rest;
	size_t rest_len;
	unsigned line; /* where the rest begins */
};

/* `name` is the file's, for messages. Both texts are borrowed for the walk. */
void document_walk_init(struct document_walk *walk, const char *name, const char *text, size_t len);

/* Goes on to the first or next document. Returns 1, or 0 at the end, or -1 for a separator with something behind it. */
MUST_CHECK int document_walk_next(struct document_walk *walk, struct error *err);

#endif
