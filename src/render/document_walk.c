/* SPDX-License-Identifier: Apache-2.0 */
#include "render/document_walk.h"

#include <string.h>

#include "base/text.h"

#define SEPARATOR "---"

void document_walk_init(struct document_walk *walk, const char *name, const char *text, size_t len)
{
	*walk = (struct document_walk){.document = {.name = name}, .rest = text, .rest_len = len, .line = 1};
}

/* Bytes of the line, including its end. */
static size_t line_size(const char *text, size_t len)
{
	const char *end = memchr(text, '\n', len);

	return end ? (size_t)(end - text) + 1 : len;
}

static bool is_separator(const char *line, size_t size)
{
	return size >= strlen(SEPARATOR) && memcmp(line, SEPARATOR, strlen(SEPARATOR)) == 0;
}

static void take_line(struct document_walk *walk, size_t size)
{
	walk->rest += size;
	walk->rest_len -= size;
	walk->line++;
}

static int take_separator(struct document_walk *walk, size_t size, struct error *err)
{
	const char *after = walk->rest + strlen(SEPARATOR);
	size_t len = text_trim(&after, size - strlen(SEPARATOR));

	if (len > 0 && *after != '#')
		return error_set(err, ERROR_INVALID, "%s:%u:1: only a comment may follow --- here", walk->document.name,
				 walk->line);
	take_line(walk, size);
	return 0;
}

int document_walk_next(struct document_walk *walk, struct error *err)
{
	while (walk->rest_len > 0) {
		size_t size = line_size(walk->rest, walk->rest_len);

		if (is_separator(walk->rest, size)) {
			if (take_separator(walk, size, err) < 0)
				return -1;
			continue;
		}
		walk->document.text = walk->rest;
		walk->document.line = walk->line;
		while (walk->rest_len > 0 && !is_separator(walk->rest, size)) {
			take_line(walk, size);
			size = line_size(walk->rest, walk->rest_len);
		}
		walk->document.len = (size_t)(walk->rest - walk->document.text);
		return 1;
	}
	return 0;
}
