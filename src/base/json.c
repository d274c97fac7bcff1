/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"

#include <limits.h>
#include <string.h>

#include "base/scan.h"
#include "base/text.h"

/* Finds the escape \u0000. A backslash that is itself escaped does not start one. */
static bool has_nul_escape(const char *text, size_t len)
{
	const char *end = text + len;
	const char *at = text;

	while ((at = memchr(at, '\\', (size_t)(end - at)))) {
		if (end - at >= 6 && memcmp(at, "\\u0000", 6) == 0)
			return true;
		if (end - at < 2)
			return false;
		at += 2;
	}
	return false;
}

/* Says why the text was refused; returns NULL. */
static cJSON *refuse(const char *text, size_t len, struct error *err)
{
	if (memchr(text, '\0', len) || has_nul_escape(text, len))
		error_set(err, ERROR_INVALID, "it holds a NUL character");
	else if (!text_is_utf8(text, len))
		error_set(err, ERROR_INVALID, "it is not UTF-8");
	else
		error_set(err, ERROR_INVALID, "it is not JSON, or nested deeper than 1,000 levels");
	return NULL;
}

static cJSON *out_of_memory(struct error *err)
{
	error_set(err, ERROR_NO_MEMORY, "it needs more memory than it may use");
	return NULL;
}

/* For a text that was found to be JSON. */
static cJSON *parse_sound(struct arena *arena, const char *text, size_t len, struct error *err)
{
	cJSON *tree = cJSON_ParseWithLengthOpts(text, len + 1, NULL, 1);

	if (tree)
		return tree;
	if (arena->state == ARENA_OK)
		return refuse(text, len, err);
	return out_of_memory(err);
}

cJSON *json_parse(struct arena *arena, const char *text, size_t len, struct error *err)
{
	if (!scan_is_json(text, len))
		return refuse(text, len, err);
	return parse_sound(arena, text, len, err);
}

cJSON *json_parse_members(struct arena *arena, const char *text, size_t len, const struct prune_member *members,
			  struct error *err)
{
	const char *pruned = NULL;
	size_t pruned_len = 0;

	switch (prune(arena, text, len, members, &pruned, &pruned_len)) {
	case PRUNE_OK:
		return parse_sound(arena, pruned, pruned_len, err);
	case PRUNE_NOT_JSON:
		return refuse(text, len, err);
	case PRUNE_NO_MEMORY:
		break;
	}
	return out_of_memory(err);
}

cJSON *json_get(const cJSON *object, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(object, name);
}

cJSON *json_get_object(const cJSON *object, const char *name)
{
	cJSON *item = json_get(object, name);

	return cJSON_IsObject(item) ? item : NULL;
}

cJSON *json_get_array(const cJSON *object, const char *name)
{
	cJSON *item = json_get(object, name);

	return cJSON_IsArray(item) ? item : NULL;
}

const char *json_get_string(const cJSON *object, const char *name)
{
	return cJSON_GetStringValue(json_get(object, name));
}

bool json_get_true(const cJSON *object, const char *name)
{
	return cJSON_IsTrue(json_get(object, name));
}

bool json_get_unsigned(const cJSON *object, const char *name, unsigned fallback, unsigned max, unsigned *ret_number)
{
	const cJSON *item = json_get(object, name);
	unsigned number;

	if (!item || cJSON_IsNull(item)) {
		*ret_number = fallback;
		return true;
	}
	if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0 && item->valuedouble <= max))
		return false;
	number = (unsigned)item->valuedouble;
	if ((double)number < item->valuedouble)
		return false;
	*ret_number = number;
	return true;
}

static bool items_equal(const cJSON *a, const cJSON *b)
{
	if ((a->type & 0xFF) != (b->type & 0xFF))
		return false;
	switch (a->type & 0xFF) {
	case cJSON_Number:
		return !(a->valuedouble < b->valuedouble) && !(a->valuedouble > b->valuedouble);
	case cJSON_String:
		return strcmp(a->valuestring, b->valuestring) == 0;
	case cJSON_Array:
	case cJSON_Object:
		return json_members_equal(a, b, NULL);
	default: /* true, false, null */
		return true;
	}
}

static const cJSON *first_kept(const cJSON *item, bool (*skip)(const char *name))
{
	while (item && skip && item->string && skip(item->string))
		item = item->next;
	return item;
}

bool json_members_equal(const cJSON *a, const cJSON *b, bool (*skip)(const char *name))
{
	a = a ? a->child : NULL;
	b = b ? b->child : NULL;
	for (;;) {
		a = first_kept(a, skip);
		b = first_kept(b, skip);
		if (!a || !b)
			return !a && !b;
		if (a->string && b->string && strcmp(a->string, b->string) != 0)
			return false;
		if (!items_equal(a, b))
			return false;
		a = a->next;
		b = b->next;
	}
}

void json_add(cJSON *object, const char *name, cJSON *item)
{
	cJSON_AddItemToObjectCS(object, name, item);
}

void json_add_string(cJSON *object, const char *name, const char *string)
{
	json_add(object, name, string ? cJSON_CreateStringReference(string) : NULL);
}

void json_add_raw(cJSON *object, const char *name, const char *json)
{
	cJSON *item = json ? cJSON_CreateStringReference(json) : NULL;

	if (item)
		item->type = cJSON_Raw | cJSON_IsReference;
	json_add(object, name, item);
}

/* Bytes that most items are printed in: texts have few characters to escape. */
static size_t printed_size(const cJSON *item)
{
	enum { AROUND = 32 }; /* quotes, a colon, a comma, brackets; a number */
	size_t size = AROUND;

	for (const cJSON *child = item->child; child; child = child->next) {
		size += printed_size(child);
		if (child->string)
			size += strlen(child->string);
	}
	if (item->valuestring)
		size += strlen(item->valuestring) / 8 * 9;
	return size;
}

char *json_print(struct arena *arena, const cJSON *item)
{
	size_t size;
	char *text;

	if (arena->state != ARENA_OK)
		return NULL;
	size = printed_size(item);
	text = size < INT_MAX ? cJSON_PrintBuffered(item, (int)size, 0) : NULL;
	if (text)
		arena_trim(arena, text, size, strlen(text) + 1);
	return text;
}
