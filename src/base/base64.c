/* SPDX-License-Identifier: Apache-2.0 */
#include "base/base64.h"

#include <string.h>

#include <b64/cdecode.h>
#include <b64/cencode.h>

/*
 * libb64 breaks the line after 72 characters, which are 54 bytes. Blocks of 51 bytes, a multiple of three, stay below
 * that, and the count starts again with each.
 */
enum { BLOCK = 51, DECODE_BLOCK = 1024 * 1024 };

/* Four characters for three bytes, and room for the newline that libb64 adds at the end. */
static size_t room_for(size_t len)
{
	return (len / 3 + 1) * 4 + 2;
}

/* Returns the end of the text, where the newline was. */
static char *encode(char *at, const char *bytes, size_t len)
{
	base64_encodestate state;

	base64_init_encodestate(&state);
	while (len > 0) {
		const size_t block = len < BLOCK ? len : BLOCK;

		at += base64_encode_block(bytes, (int)block, at, &state);
		state.stepcount = 0;
		bytes += block;
		len -= block;
	}
	return at + base64_encode_blockend(at, &state) - 1;
}

char *base64_encode(struct arena *arena, const char *bytes, size_t len)
{
	char *text = arena_alloc(arena, room_for(len));

	if (text)
		*encode(text, bytes, len) = '\0';
	return text;
}

char *base64_encode_quoted(struct arena *arena, const char *bytes, size_t len)
{
	char *text = arena_alloc(arena, room_for(len) + 2);
	char *end;

	if (!text)
		return NULL;
	*text = '"';
	end = encode(text + 1, bytes, len);
	end[0] = '"';
	end[1] = '\0';
	return text;
}

/* The six bits of a character, -1 if it is not in the alphabet. */
static int bits_of(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

bool base64_is_valid(const char *text)
{
	const size_t len = strlen(text);
	size_t padding = 0;

	if (len == 0)
		return true;
	if (len % 4 != 0)
		return false;
	while (padding < 2 && text[len - 1 - padding] == '=')
		padding++;
	for (size_t i = 0; i < len - padding; i++) {
		if (bits_of(text[i]) < 0)
			return false;
	}
	/* Two or four bits of the last character belong to no byte, and must be 0. */
	return !padding || (bits_of(text[len - 1 - padding]) & (padding == 1 ? 3 : 15)) == 0;
}

char *base64_decode(struct arena *arena, const char *text, size_t *ret_len)
{
	size_t left = strlen(text);
	char *bytes = arena_alloc(arena, left + 1);
	base64_decodestate state;
	size_t len = 0;

	if (!bytes)
		return NULL;
	base64_init_decodestate(&state);
	while (left > 0) {
		const size_t block = left < DECODE_BLOCK ? left : DECODE_BLOCK;

		len += (size_t)base64_decode_block(text, (int)block, bytes + len, &state);
		text += block;
		left -= block;
	}
	bytes[len] = '\0';
	*ret_len = len;
	return bytes;
}
