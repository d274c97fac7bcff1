#ifndef RENDER_YAML_TEXT_H
#define RENDER_YAML_TEXT_H

#include "base/arena.h"
#include "base/error.h"
#include "render/yaml.h"

/*
 * The text of a YAML document, before it is parsed.
 */

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
