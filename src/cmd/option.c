/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/option.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"

static bool parse_number(const char *text, uint64_t *ret_number, const char **ret_rest)
{
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return false;
	errno = 0;
	*ret_number = strtoull(text, &end, 10);
	*ret_rest = end;
	return errno == 0;
}

/* A number with one of the units after it, or with none. */
static bool parse_scaled(const char *text, const char *const *units, const uint64_t *factors, uint64_t *ret_number)
{
	uint64_t number;
	const char *rest;

	if (!parse_number(text, &number, &rest))
		return false;
	if (!*rest) {
		*ret_number = number;
		return true;
	}
	for (size_t i = 0; units[i]; i++) {
		if (strcmp(rest, units[i]) != 0)
			continue;
		if (number > UINT64_MAX / factors[i])
			return false;
		*ret_number = number * factors[i];
		return true;
	}
	return false;
}

static bool parse_size(const char *text, uint64_t *ret_bytes)
{
	static const char *const units[] = {"Ki", "Mi", "Gi", NULL};
	static const uint64_t factors[] = {1 << 10, 1 << 20, 1 << 30};

	return parse_scaled(text, units, factors, ret_bytes);
}

static bool parse_duration(const char *text, uint64_t *ret_seconds)
{
	static const char *const units[] = {"s", "m", "h", NULL};
	static const uint64_t factors[] = {1, 60, 3600};

	return parse_scaled(text, units, factors, ret_seconds);
}

static bool parse_count(const char *text, uint64_t *ret_number)
{
	const char *rest;

	return parse_number(text, ret_number, &rest) && !*rest;
}

static bool is_not_empty(const char *text)
{
	return text[0] != '\0';
}

static bool address_is_valid(const char *text)
{
	const char *colon = strrchr(text, ':');
	uint64_t port;

	if (!colon || !parse_count(colon + 1, &port) || port > 65535)
		return false;
	if (text[0] == '[')
		return colon > text + 1 && colon[-1] == ']';
	return !memchr(text, ':', (size_t)(colon - text));
}

/* The node reports other mistakes; no image's name holds a blank or a byte outside ASCII. */
static bool image_is_valid(const char *text)
{
	const char *c = text;

	while (isgraph((unsigned char)*c))
		c++;
	return c > text && !*c;
}

/* What a type of option means: one row of `types`. */
struct type {
	/* Checks the text and stores the value. False, and nothing stored, if the text is not allowed. */
	bool (*store)(const struct type *type, const struct option *option, const char *text, void *field);
	bool (*is_valid)(const char *text);                    /* for store_text */
	bool (*parse)(const char *text, uint64_t *ret_number); /* for store_number */
	size_t size;         /* of the field, which is zeroed if there is no default */
	const char *allowed; /* for the end of an error */
	const char *unit;    /* of a number's limits; NULL: it is not a number */
};

static bool store_flag(const struct type *type, const struct option *option, const char *text, void *field)
{
	(void)type;
	(void)option;
	if (strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
		return false;
	*(bool *)field = text[0] == 't';
	return true;
}

static bool store_text(const struct type *type, const struct option *option, const char *text, void *field)
{
	(void)option;
	if (!type->is_valid(text))
		return false;
	*(const char **)field = text;
	return true;
}

static bool store_number(const struct type *type, const struct option *option, const char *text, void *field)
{
	uint64_t number;

	if (!type->parse(text, &number) || number < option->min || number > option->max)
		return false;
	if (option->type == OPTION_SIZE)
		*(size_t *)field = (size_t)number;
	else
		*(unsigned *)field = (unsigned)number;
	return true;
}

static bool store_choice(const struct type *type, const struct option *option, const char *text, void *field)
{
	(void)type;
	for (unsigned i = 0; option->choices[i]; i++) {
		if (strcmp(option->choices[i], text) == 0) {
			*(unsigned *)field = i;
			return true;
		}
	}
	return false;
}

static bool store_one_more(const struct type *type, const struct option *option, const char *text, void *field)
{
	struct option_list *list = field;

	(void)option;
	if (!type->is_valid(text) || list->len == OPTION_LIST_MAX)
		return false;
	list->texts[list->len++] = text;
	return true;
}

static_assert(OPTION_LIST_MAX == 100, "OPTION_LIST says so");

static const struct type types[OPTION_TYPES] = {
	[OPTION_FLAG] = {.store = store_flag, .size = sizeof(bool), .allowed = "true or false"},
	[OPTION_STRING] = {.store = store_text,
			   .is_valid = is_not_empty,
			   .size = sizeof(const char *),
			   .allowed = "a text that is not empty"},
	[OPTION_NAME] = {.store = store_text,
			 .is_valid = name_is_dns_label,
			 .size = sizeof(const char *),
			 .allowed = "a DNS label: lower-case letters, digits and '-', at most 63 characters"},
	[OPTION_DOMAIN] = {.store = store_text,
			   .is_valid = name_is_dns_name,
			   .size = sizeof(const char *),
			   .allowed = "a DNS name such as cluster.local"},
	[OPTION_IMAGE] = {.store = store_text,
			  .is_valid = image_is_valid,
			  .size = sizeof(const char *),
			  .allowed = "a container image such as registry.example.com/team/tfconfig-webhook:1.0"},
	[OPTION_ADDRESS] = {.store = store_text,
			    .is_valid = address_is_valid,
			    .size = sizeof(const char *),
			    .allowed = "ADDR:PORT such as [::]:8443, 127.0.0.1:8443 or :8443, port 0 to 65535"},
	[OPTION_COUNT] = {.store = store_number,
			  .parse = parse_count,
			  .size = sizeof(unsigned),
			  .allowed = "a whole number",
			  .unit = ""},
	[OPTION_SIZE] = {.store = store_number,
			 .parse = parse_size,
			 .size = sizeof(size_t),
			 .allowed = "a size such as 48Mi (Ki, Mi, Gi or bytes),",
			 .unit = " bytes"},
	[OPTION_DURATION] = {.store = store_number,
			     .parse = parse_duration,
			     .size = sizeof(unsigned),
			     .allowed = "a duration such as 10s, 2m or 1h,",
			     .unit = " seconds"},
	[OPTION_ENUM] = {.store = store_choice, .size = sizeof(unsigned)},
	[OPTION_LIST] = {.store = store_one_more,
			 .is_valid = is_not_empty,
			 .size = sizeof(struct option_list),
			 .allowed = "a text that is not empty, at most 100 times"},
};

bool option_store(const struct option *option, const char *text, void *settings)
{
	const struct type *type = &types[option->type];

	return type->store(type, option, text, (char *)settings + option->offset);
}

/* A default of "" is stored unchecked: only a table may have it. */
bool option_store_default(const struct option *option, void *settings)
{
	const struct type *type = &types[option->type];
	void *field = (char *)settings + option->offset;

	if (option->fallback && option->fallback[0])
		return type->store(type, option, option->fallback, field);
	memset(field, 0, type->size);
	if (type->store == store_text)
		*(const char **)field = option->fallback;
	return true;
}

void option_describe_allowed(const struct option *option, char ret_text[OPTION_ALLOWED_MAX])
{
	const struct type *type = &types[option->type];
	size_t len = 0;

	ret_text[0] = '\0';
	if (type->unit)
		snprintf(ret_text, OPTION_ALLOWED_MAX, "%s from %llu to %llu%s", type->allowed,
			 (unsigned long long)option->min, (unsigned long long)option->max, type->unit);
	else if (type->allowed)
		snprintf(ret_text, OPTION_ALLOWED_MAX, "%s", type->allowed);
	for (size_t i = 0; option->choices && option->choices[i] && len < OPTION_ALLOWED_MAX; i++)
		len += (size_t)snprintf(ret_text + len, OPTION_ALLOWED_MAX - len, "%s%s", i ? ", " : "",
					option->choices[i]);
}
