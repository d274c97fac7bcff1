/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_YAML_TEXT_H
#define RENDER_YAML_TEXT_H

#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"

/*
 * The text of a YAML document before it is parsed. Thread-safe.
 */

enum { YAML_FLOW_MAX = 300000 }; /* brackets and commas in a text, each of which may cost libfyaml 1.5 KiB */

/* The part of a file that holds the document. */
struct yaml_text {
	const char *name; /* of the file, for messages */
	const char *text;
	size_t len;
	unsigned line; /* of the file, where the text starts */
};

/*
 * Refuses bytes that are not UTF-8, control characters except tab and line ends, the line ends that only YAML 1.1 has,
 * and more brackets and commas than YAML_FLOW_MAX. Returns -1 with ERROR_INVALID, which names the place.
 */
MUST_CHECK int yaml_text_check(const struct yaml_text *text, struct error *err);

/*
 * A copy in which the last line has an end, then the document has one, then a NUL follows: kubectl ends each line, and
 * libfyaml 0.7.12 reads a byte too many if an empty block scalar ends the text. NULL if the arena is full.
 */
const char *yaml_text_copy(struct arena *arena, const struct yaml_text *text, size_t *ret_len);

/* The number of the text's last line in the file. */
unsigned yaml_text_last_line(const struct yaml_text *text);

#endif
