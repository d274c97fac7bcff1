/* SPDX-License-Identifier: Apache-2.0 */
#include "render/scalar.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/text.h"
#include "core/messages.h"

#define TAG_PREFIX "tag:yaml.org,2002:"

static const char *const null_words[] = {"", "~", "null", "Null", "NULL", NULL};
static const char *const true_words[] = {"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON", NULL};
static const char *const false_words[] = {"n",     "N",     "no",  "No",  "NO",  "false",
					  "False", "FALSE", "off", "Off", "OFF", NULL};
static const char *const nan_words[] = {".nan", ".NaN", ".NAN", NULL};
static const char *const infinity_words[] = {".inf", ".Inf", ".INF", NULL};

static bool is_one_of(const char *text, const char *const *words)
{
	for (; *words; words++) {
		if (strcmp(text, *words) == 0)
			return true;
	}
	return false;
}

static bool read_word(const char *text, struct scalar_value *value)
{
	bool sign = text[0] == '-' || text[0] == '+';

	if (is_one_of(text, null_words)) {
		value->kind = SCALAR_NULL;
	} else if (is_one_of(text, true_words) || is_one_of(text, false_words)) {
		value->kind = SCALAR_BOOLEAN;
		value->truth = is_one_of(text, true_words);
	} else if (is_one_of(text, nan_words)) {
		value->kind = SCALAR_FLOAT;
		value->number = NAN;
	} else if (is_one_of(text + sign, infinity_words)) {
		value->kind = SCALAR_FLOAT;
		value->number = text[0] == '-' ? -INFINITY : INFINITY;
	} else {
		return false;
	}
	return true;
}

/* Takes the base off: "0x", "0o", "0b", or 8 for a 0 before other digits. Moves *text past the letters. */
static int take_base(const char **text)
{
	const char *at = *text;
	int letter = at[0] == '0' && at[1] && at[2] ? tolower((unsigned char)at[1]) : 0;

	if (letter == 'x' || letter == 'o' || letter == 'b') {
		*text += 2;
		return letter == 'x' ? 16 : letter == 'o' ? 8 : 2;
	}
	return at[0] == '0' ? 8 : 10;
}

/* From -2^63 to 2^64 - 1, without '_'. */
static bool read_integer(const char *text, struct scalar_value *value)
{
	bool sign = text[0] == '-' || text[0] == '+';
	const char *digits = text + sign;
	bool negative = text[0] == '-';
	int base = take_base(&digits);
	uint64_t magnitude;
	char *end;

	if (!isxdigit((unsigned char)digits[0]))
		return false; /* strtoull would accept blanks and a sign */
	if (base == 16 && digits[0] == '0' && tolower((unsigned char)digits[1]) == 'x')
		return false; /* and another 0x */
	errno = 0;
	magnitude = strtoull(digits, &end, base);
	if (*end || errno != 0)
		return false;
	if (sign && magnitude > (uint64_t)INT64_MAX + negative)
		return false;
	value->kind = SCALAR_INTEGER;
	value->negative = negative && magnitude > 0;
	value->magnitude = magnitude;
	return true;
}

static size_t count_digits(const char *text)
{
	return strspn(text, "0123456789");
}

/* [-+]? ( .digits | digits [.digits?] ) ( [eE] [-+]? digits )? */
static bool is_float(const char *text)
{
	size_t whole;
	size_t fraction = 0;

	if (*text == '-' || *text == '+')
		text++;
	whole = count_digits(text);
	text += whole;
	if (*text == '.') {
		fraction = count_digits(text + 1);
		text += fraction + 1;
	}
	if (whole + fraction == 0)
		return false;
	if (*text == 'e' || *text == 'E') {
		text++;
		if (*text == '-' || *text == '+')
			text++;
		if (count_digits(text) == 0)
			return false;
		text += count_digits(text);
	}
	return !*text;
}

static bool read_float(const char *text, struct scalar_value *value)
{
	double number;

	if (!is_float(text))
		return false;
	number = strtod(text, NULL);
	if (isinf(number))
		return false; /* out of range: it stays text */
	value->kind = SCALAR_FLOAT;
	value->number = number;
	return true;
}

/* The text without '_', which may separate digits. NULL if memory runs out. */
static const char *without_underscores(struct arena *arena, const char *text)
{
	char *copy;
	char *at;

	if (!strchr(text, '_'))
		return text;
	copy = arena_alloc(arena, strlen(text) + 1);
	if (!copy)
		return NULL;
	for (at = copy; *text; text++) {
		if (*text != '_')
			*at++ = *text;
	}
	*at = '\0';
	return copy;
}

/* What the text is without a tag. Returns -1 if memory runs out. */
static int read_plain(struct arena *arena, const char *text, struct scalar_value *value, struct error *err)
{
	const char *plain;

	*value = (struct scalar_value){.kind = SCALAR_TEXT, .text = text};
	if (read_word(text, value))
		return 0;
	if (!isdigit((unsigned char)text[0]) && text[0] != '-' && text[0] != '+' && text[0] != '.')
		return 0;
	plain = without_underscores(arena, text);
	if (!plain)
		return error_set(err, ERROR_NO_MEMORY, MESSAGE_NO_MEMORY);
	if (!read_integer(plain, value))
		read_float(plain, value);
	return 0;
}

static int decode_binary(struct arena *arena, struct scalar_value *value, struct error *err)
{
	size_t len;
	const char *bytes = base64_decode(arena, value->text, &len);

	if (!bytes)
		return error_set(err, ERROR_NO_MEMORY, MESSAGE_NO_MEMORY);
	if (memchr(bytes, '\0', len) || !text_is_utf8(bytes, len))
		return error_set(err, ERROR_INVALID, "its !!binary content is not text");
	value->text = bytes;
	return 0;
}

/* The kind that a tag demands; false if it demands none, and the text stays text. */
static bool kind_of_tag(const char *name, enum scalar_kind *ret_kind)
{
	static const struct {
		const char *name;
		enum scalar_kind kind;
	} tags[] = {{"null", SCALAR_NULL}, {"bool", SCALAR_BOOLEAN}, {"int", SCALAR_INTEGER}, {"float", SCALAR_FLOAT}};

	for (size_t i = 0; i < ARRAY_LEN(tags); i++) {
		if (strcmp(name, tags[i].name) == 0) {
			*ret_kind = tags[i].kind;
			return true;
		}
	}
	return false;
}

static int read_tagged(struct arena *arena, const struct scalar *scalar, struct scalar_value *value, struct error *err)
{
	const char *name = scalar->tag;
	enum scalar_kind kind;

	*value = (struct scalar_value){.kind = SCALAR_TEXT, .text = scalar->text};
	if (strncmp(name, TAG_PREFIX, strlen(TAG_PREFIX)) != 0)
		return 0;
	name += strlen(TAG_PREFIX);
	if (strcmp(name, "binary") == 0)
		return decode_binary(arena, value, err);
	if (!kind_of_tag(name, &kind))
		return 0;
	if (read_plain(arena, scalar->text, value, err) < 0)
		return -1;
	if (kind == SCALAR_FLOAT && value->kind == SCALAR_INTEGER) {
		value->kind = SCALAR_FLOAT;
		value->number = (value->negative ? -1.0 : 1.0) * (double)value->magnitude;
	}
	if (value->kind != kind)
		return error_set(err, ERROR_INVALID, "its tag is !!%s, but it is not of that type", name);
	return 0;
}

int scalar_resolve(struct arena *arena, const struct scalar *scalar, struct scalar_value *ret_value, struct error *err)
{
	struct scalar_value value = {.kind = SCALAR_TEXT, .text = scalar->text};
	int result = 0;

	if (scalar->tag)
		result = read_tagged(arena, scalar, &value, err);
	else if (scalar->plain)
		result = read_plain(arena, scalar->text, &value, err);
	if (result == 0)
		*ret_value = value;
	return result;
}

static cJSON *to_json(const struct scalar_value *value)
{
	switch (value->kind) {
	case SCALAR_NULL:
		return cJSON_CreateNull();
	case SCALAR_BOOLEAN:
		return cJSON_CreateBool(value->truth);
	case SCALAR_INTEGER:
		return cJSON_CreateNumber((value->negative ? -1.0 : 1.0) * (double)value->magnitude);
	case SCALAR_FLOAT:
		return cJSON_CreateNumber(value->number);
	case SCALAR_TEXT:
		return cJSON_CreateString(value->text);
	}
	return NULL;
}

cJSON *scalar_json(const struct scalar_value *value, struct error *err)
{
	cJSON *item;

	if (value->kind == SCALAR_FLOAT && !isfinite(value->number)) {
		error_set(err, ERROR_INVALID, "it is not a finite number");
		return NULL;
	}
	item = to_json(value);
	if (!item)
		error_set(err, ERROR_NO_MEMORY, MESSAGE_NO_MEMORY);
	return item;
}

/* As Go formats a 32-bit float: the fewest digits that identify it, and an exponent from 10^6 on. */
static const char *float_key(struct arena *arena, double number)
{
	char text[32];
	int precision = 0;
	int exponent;

	if (isnan(number))
		return ".nan";
	if (isinf((float)number))
		return number > 0 ? ".inf" : "-.inf";
	do
		snprintf(text, sizeof(text), "%.*e", precision, number);
	while (precision++ < 9 && strtof(text, NULL) != (float)number);
	exponent = atoi(strchr(text, 'e') + 1);
	if (exponent < -4 || exponent >= 6)
		return arena_printf(arena, "%s", text);
	return arena_printf(arena, "%.*f", precision - 1 > exponent ? precision - 1 - exponent : 0, number);
}

const char *scalar_key(struct arena *arena, const struct scalar_value *value, struct error *err)
{
	const char *key = NULL;

	switch (value->kind) {
	case SCALAR_NULL:
		error_set(err, ERROR_INVALID, "a key is null: give it a name, or quote it");
		return NULL;
	case SCALAR_BOOLEAN:
		key = value->truth ? "true" : "false";
		break;
	case SCALAR_INTEGER:
		key = arena_printf(arena, "%s%" PRIu64, value->negative ? "-" : "", value->magnitude);
		break;
	case SCALAR_FLOAT:
		key = float_key(arena, value->number);
		break;
	case SCALAR_TEXT:
		key = arena_strndup(arena, value->text, strlen(value->text));
		break;
	}
	if (!key)
		error_set(err, ERROR_NO_MEMORY, MESSAGE_NO_MEMORY);
	return key;
}
