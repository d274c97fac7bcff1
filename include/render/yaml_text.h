#ifndef RENDER_YAML_TEXT_H
#define RENDER_YAML_TEXT_H

#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"

/*
 * The text of a YAML document, before it is parsed.
 */

enum { YAML_FLOW_MAX = 300000 }; /* brackets and commas in it, each of which may cost libfyaml 1.5 KiB */

/* The part of a file that holds the document. */
struct yaml_text {
	const char *name; /* of the file, for messages */
	const char *text;
	size_t len;
	unsigned line; /* of the file, where the text begins */
};

/*
 * Refuses what is not UTF-8, control characters but for tab and line ends, the line ends that YAML 1.1 alone knows, and
 * more brackets and commas than YAML_FLOW_MAX.
 */
MUST_CHECK int yaml_text_check(const struct yaml_text *text, struct error *err);

/*
 * A copy whose last line is ended, and the document behind it, with a NUL: kubectl ends each line, and libfyaml 0.7.12
 * reads a byte too many where an empty block scalar ends the text. NULL where the arena is full.
 */
const char *yaml_text_copy(struct arena *arena, const struct yaml_text *text, size_t *ret_len);

/* The number of its last line in the file. */
unsigned yaml_text_last_line(const struct yaml_text *text);

#endif
