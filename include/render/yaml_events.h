#ifndef RENDER_YAML_EVENTS_H
#define RENDER_YAML_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include <libfyaml.h>

#include "base/arena.h"
#include "base/error.h"
#include "render/yaml_text.h"

/*
 * The events of one YAML document, as libfyaml finds them, each looked at first: libfyaml 0.7.12 takes a few texts that
 * kubectl refuses or reads otherwise, and those are refused here. Every error has a place in the file.
 */

struct yaml_position {
	unsigned line; /* of the file, from 1 on, as is the column */
	unsigned column;
};

struct yaml_events {
	struct fy_event *event;        /* the one in hand; borrowed until the next */
	struct yaml_position position; /* of it */
	/* private */
	struct arena *arena;
	const struct yaml_text *text;
	struct error *err;
	const char *copy; /* the text, as libfyaml reads it */
	size_t checked;   /* bytes of it whose tabs were looked at */
	struct fy_diag *diag;
	struct fy_parser *parser;
};

/* Where the next event stands. */
struct yaml_place {
	bool in_collection;
	bool in_mapping;
	bool is_key;
	unsigned column; /* of the collection, if it is a block; 0 in brackets */
};

/* Checks the text's characters, and begins. The text and the error are borrowed. Released by yaml_events_release. */
MUST_CHECK int yaml_events_init(struct yaml_events *events, struct arena *arena, const struct yaml_text *text,
				struct error *err);

/* Takes events whose init failed. */
void yaml_events_release(struct yaml_events *events);

/* Goes on to the first or next event; there is one up to FYET_STREAM_END. */
MUST_CHECK int yaml_events_next(struct yaml_events *events, const struct yaml_place *place);

/* A copy of a token's text, NULL for no token. Returns -1 where it can't be one. */
MUST_CHECK int yaml_events_token(struct yaml_events *events, struct fy_token *token, const char **ret_text);

/* Sets the error, or puts the place of the event before one that was set by others. Both return -1. */
int yaml_events_fail(struct yaml_events *events, const char *message);
int yaml_events_fail_here(struct yaml_events *events);
int yaml_events_fail_for_memory(struct yaml_events *events);

#endif
