/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"

#include <string.h>

enum { QUOTE_MAX = 80 };

/* Length of the well-formed character at the start of the bytes, 0 if there is none. RFC 3629, section 4. */
static size_t utf8_character(const unsigned char *bytes, size_t len)
{
	const unsigned char lead = bytes[0];
	unsigned char low = 0x80;
	unsigned char high = 0xBF;
	size_t size;

	if (lead < 0x80)
		return 1;
	if (lead >= 0xC2 && lead <= 0xDF)
		size = 2;
	else if (lead >= 0xE0 && lead <= 0xEF)
		size = 3;
	else if (lead >= 0xF0 && lead <= 0xF4)
		size = 4;
	else
		return 0;
	if (lead == 0xE0)
		low = 0xA0;
	else if (lead == 0xED)
		high = 0x9F;
	else if (lead == 0xF0)
		low = 0x90;
	else if (lead == 0xF4)
		high = 0x8F;
	if (size > len || bytes[1] < low || bytes[1] > high)
		return 0;
	for (size_t i = 2; i < size; i++) {
		if ((bytes[i] & 0xC0) != 0x80)
			return 0;
	}
	return size;
}

bool text_is_utf8(const char *bytes, size_t len)
{
	const unsigned char *at = (const unsigned char *)bytes;

	while (len > 0) {
		const size_t size = utf8_character(at, len);

		if (size == 0)
			return false;
		at += size;
		len -= size;
	}
	return true;
}

const char *text_next_character(const char *text)
{
	enum { CHARACTER_MAX = 4 }; /* no character contains the '\0', so nothing is read beyond it */
	const size_t size = utf8_character((const unsigned char *)text, CHARACTER_MAX);

	return size ? text + size : NULL;
}

size_t text_clip(const char *text, size_t len, size_t max)
{
	if (len <= max)
		return len;
	while (max > 0 && ((unsigned char)text[max] & 0xC0) == 0x80)
		max--;
	return max;
}

const char *text_quote(struct arena *arena, const char *text)
{
	const size_t len = strlen(text);
	const size_t clipped = text_clip(text, len, QUOTE_MAX);

	return arena_printf(arena, "\"%.*s%s\"", (int)clipped, text, clipped < len ? "..." : "");
}

void text_clean(char *text)
{
	for (unsigned char *c = (unsigned char *)text; *c; c++) {
		const bool c1 = c[0] == 0xC2 && c[1] >= 0x80 && c[1] <= 0x9F;

		if (c1)
			c[1] = '?';
		if (c1 || *c < 0x20 || *c == 0x7F)
			*c = '?';
	}
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

size_t text_trim(const char **text, size_t len)
{
	while (len > 0 && is_blank((*text)[0])) {
		(*text)++;
		len--;
	}
	while (len > 0 && is_blank((*text)[len - 1]))
		len--;
	return len;
}
