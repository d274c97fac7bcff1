/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_YAML_EVENTS_H
#define RENDER_YAML_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include <libfyaml.h>

#include "base/arena.h"
#include "base/error.h"
#include "render/yaml_text.h"

/*
 * The events of one YAML document from libfyaml, each checked first: libfyaml 0.7.12 accepts a few texts that kubectl
 * refuses or reads differently, and those are refused here. Every error names its place in the file. Used by one
 * thread.
 */

struct yaml_position {
	unsigned line; /* in the file, from 1, as is the column */
	unsigned column;
};

struct yaml_events {
	struct fy_event *event;        /* the current one; borrowed until the next */
	struct yaml_position position; /* of the current event */
	/* private */
	struct arena *arena;
	const struct yaml_text *text;
	struct error *err;
	const char *copy; /* the text that libfyaml reads */
	size_t checked;   /* bytes of it that were checked for tabs */
	struct fy_diag *diag;
	struct fy_parser *parser;
};

/* Where the next event is. */
struct yaml_place {
	bool in_collection;
	bool in_mapping;
	bool is_key;
	unsigned column; /* of the collection if it is a block; 0 in brackets */
};

/* Checks the characters of the text and starts. The text and the error are borrowed until yaml_events_release. */
MUST_CHECK int yaml_events_init(struct yaml_events *events, struct arena *arena, const struct yaml_text *text,
				struct error *err);

/* Allowed after a failed init. */
void yaml_events_release(struct yaml_events *events);

/* Moves to the first or next event; the last one is FYET_STREAM_END. */
MUST_CHECK int yaml_events_next(struct yaml_events *events, const struct yaml_place *place);

/* A copy of a token's text in the arena; NULL for no token. Returns -1 if it is not valid text, or memory runs out. */
MUST_CHECK int yaml_events_token(struct yaml_events *events, struct fy_token *token, const char **ret_text);

/*
 * Set the error with the place of the event; _here adds the place to an error that is already set, and _for_memory
 * names only the file. All return -1.
 */
int yaml_events_fail(struct yaml_events *events, const char *message);
int yaml_events_fail_here(struct yaml_events *events);
int yaml_events_fail_for_memory(struct yaml_events *events);

#endif
