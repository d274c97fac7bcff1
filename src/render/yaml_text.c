/* SPDX-License-Identifier: Apache-2.0 */
#include "render/yaml_text.h"

#include <string.h>

#include "base/text.h"

/* Bytes of the character whose first byte is `lead`. */
static size_t character_size(unsigned char lead)
{
	return lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

/* Control characters except tab and line ends; U+2028 and U+2029, which end a line only in YAML 1.1. */
static bool is_control(const char *at, size_t size)
{
	unsigned char byte = (unsigned char)at[0];

	switch (size) {
	case 1:
		return (byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7F;
	case 2:
		return byte == 0xC2 && (unsigned char)at[1] < 0xA0;
	default:
		return memcmp(at, "\xE2\x80\xA8", 3) == 0 || memcmp(at, "\xE2\x80\xA9", 3) == 0;
	}
}

int yaml_text_check(const struct yaml_text *text, struct error *err)
{
	unsigned line = text->line;
	unsigned column = 1;
	const char *end = text->text + text->len;
	size_t flow = 0;
	size_t size;

	for (const char *at = text->text; at < end; at += size) {
		size = character_size((unsigned char)*at);
		if (size > (size_t)(end - at) || !text_is_utf8(at, size))
			return error_set(err, ERROR_INVALID, "%s:%u:%u: it is not UTF-8", text->name, line, column);
		if (is_control(at, size))
			return error_set(err, ERROR_INVALID,
					 "%s:%u:%u: a control character: write it as an escape in double quotes",
					 text->name, line, column);
		if (*at == '[' || *at == '{' || *at == ',')
			flow++;
		if (flow > YAML_FLOW_MAX)
			return error_set(err, ERROR_INVALID,
					 "%s:%u:%u: there are more than 300,000 brackets and commas", text->name, line,
					 column);
		column++;
		if (*at == '\n') {
			line++;
			column = 1;
		}
	}
	return 0;
}

const char *yaml_text_copy(struct arena *arena, const struct yaml_text *text, size_t *ret_len)
{
	static const char end[] = "\n...\n";
	size_t skip = text->len > 0 && text->text[text->len - 1] == '\n' ? 1 : 0;
	char *copy = arena_alloc(arena, text->len + sizeof(end));

	if (!copy)
		return NULL;
	memcpy(copy, text->text, text->len);
	memcpy(copy + text->len, end + skip, sizeof(end) - skip);
	*ret_len = text->len + strlen(end) - skip;
	return copy;
}

unsigned yaml_text_last_line(const struct yaml_text *text)
{
	unsigned line = text->line;

	for (size_t i = 0; i + 1 < text->len; i++) {
		if (text->text[i] == '\n')
			line++;
	}
	return line;
}
