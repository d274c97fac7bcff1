/* SPDX-License-Identifier: Apache-2.0 */
#include "base/scan.h"

#include <string.h>

#include "base/text.h"

/* Bytes of a string that stand for themselves: ASCII, except for '"', '\\' and control characters. */
static const bool plain[256] = {
#define FOUR(c)    [c] = true, [(c) + 1] = true, [(c) + 2] = true, [(c) + 3] = true
#define SIXTEEN(c) FOUR(c), FOUR((c) + 4), FOUR((c) + 8), FOUR((c) + 12)
	[0x20] = true, [0x21] = true, [0x23] = true, FOUR(0x24),    FOUR(0x28), FOUR(0x2C),
	SIXTEEN(0x30), SIXTEEN(0x40), FOUR(0x50),    FOUR(0x54),    FOUR(0x58), [0x5D] = true,
	[0x5E] = true, [0x5F] = true, SIXTEEN(0x60), SIXTEEN(0x70),
#undef SIXTEEN
#undef FOUR
};

const char *scan_blanks(const char *at)
{
	while (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t')
		at++;
	return at;
}

/* The value of four hexadecimal digits, -1 if they are not. */
static int read_hex(const char *at)
{
	int number = 0;

	for (int i = 0; i < 4; i++) {
		const char c = at[i];

		if (c >= '0' && c <= '9')
			number = number * 16 + (c - '0');
		else if (c >= 'a' && c <= 'f')
			number = number * 16 + (c - 'a' + 10);
		else if (c >= 'A' && c <= 'F')
			number = number * 16 + (c - 'A' + 10);
		else
			return -1;
	}
	return number;
}

/* An escape, starting at its backslash. */
static const char *scan_escape(const char *at)
{
	int unit;

	if (at[1] != 'u')
		return at[1] && strchr("\"\\/bfnrt", at[1]) ? at + 2 : NULL;
	unit = read_hex(at + 2);
	if (unit <= 0 || (unit >= 0xDC00 && unit <= 0xDFFF))
		return NULL;
	at += 6;
	if (unit < 0xD800 || unit > 0xDBFF)
		return at;
	if (at[0] != '\\' || at[1] != 'u')
		return NULL;
	unit = read_hex(at + 2);
	return unit >= 0xDC00 && unit <= 0xDFFF ? at + 6 : NULL;
}

/* Four at a time, as most bytes of a review are plain; '\0' is not. */
static const char *skip_plain(const char *at)
{
	const unsigned char *byte = (const unsigned char *)at;

	while (plain[byte[0]] && plain[byte[1]] && plain[byte[2]] && plain[byte[3]])
		byte += 4;
	while (plain[*byte])
		byte++;
	return (const char *)byte;
}

const char *scan_string(const char *at)
{
	for (at++;;) {
		at = skip_plain(at);
		if (*at == '"')
			return at + 1;
		if (*at == '\\')
			at = scan_escape(at);
		else if ((unsigned char)*at >= 0x80)
			at = text_next_character(at);
		else
			return NULL;
		if (!at)
			return NULL;
	}
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static const char *scan_digits(const char *at)
{
	if (!is_digit(*at))
		return NULL;
	while (is_digit(*at))
		at++;
	return at;
}

static const char *scan_number(const char *at)
{
	if (*at == '-')
		at++;
	at = *at == '0' ? at + 1 : scan_digits(at);
	if (at && *at == '.')
		at = scan_digits(at + 1);
	if (at && (*at == 'e' || *at == 'E')) {
		at++;
		at = scan_digits(*at == '+' || *at == '-' ? at + 1 : at);
	}
	return at;
}

static const char *scan_literal(const char *at, const char *literal)
{
	const size_t len = strlen(literal);

	return strncmp(at, literal, len) == 0 ? at + len : NULL;
}

/* A value that contains no others. */
static const char *scan_scalar(const char *at)
{
	switch (*at) {
	case '"':
		return scan_string(at);
	case 't':
		return scan_literal(at, "true");
	case 'f':
		return scan_literal(at, "false");
	case 'n':
		return scan_literal(at, "null");
	default:
		return scan_number(at);
	}
}

bool scan_enter(struct scan *scan, bool object)
{
	if (scan->depth == SCAN_DEPTH_MAX)
		return false;
	scan->objects[scan->depth++] = object;
	return true;
}

void scan_leave(struct scan *scan)
{
	scan->depth--;
}

/* A member's name and the colon. */
static const char *scan_name(const char *at)
{
	at = scan_blanks(at);
	if (*at != '"')
		return NULL;
	at = scan_string(at);
	at = at ? scan_blanks(at) : NULL;
	return at && *at == ':' ? at + 1 : NULL;
}

/* After a value: closes what ends there and moves on to the next value. At the depth `begin` there is none. */
static const char *scan_to_next(struct scan *scan, const char *at, size_t begin)
{
	while (scan->depth > begin) {
		const bool object = scan->objects[scan->depth - 1];

		at = scan_blanks(at);
		if (*at == ',')
			return object ? scan_name(at + 1) : at + 1;
		if (*at != (object ? '}' : ']'))
			return NULL;
		scan_leave(scan);
		at++;
	}
	return at;
}

const char *scan_value(struct scan *scan, const char *at)
{
	const size_t begin = scan->depth;

	do {
		at = scan_blanks(at);
		if (*at == '{' || *at == '[') {
			const bool object = *at == '{';

			if (!scan_enter(scan, object))
				return NULL;
			at = scan_blanks(at + 1);
			if (*at != (object ? '}' : ']')) {
				at = object ? scan_name(at) : at;
				continue;
			}
		} else {
			at = scan_scalar(at);
		}
		at = at ? scan_to_next(scan, at, begin) : NULL;
	} while (at && scan->depth > begin);
	return at;
}

bool scan_is_json(const char *text, size_t len)
{
	struct scan scan;
	const char *end;

	scan.depth = 0;
	end = scan_value(&scan, text);
	return end && scan_blanks(end) == text + len;
}
