/* SPDX-License-Identifier: Apache-2.0 */
#include "core/patch.h"

#include <string.h>

#include "base/json.h"

const char *patch_path(const struct verdict *verdict, const char *parent, const char *name)
{
	size_t parent_len = strlen(parent);
	char *path = arena_alloc(verdict->arena, parent_len + 2 * strlen(name) + 2);
	char *at = path;

	if (!path)
		return NULL;
	memcpy(at, parent, parent_len);
	at += parent_len;
	*at++ = '/';
	for (; *name; name++) {
		if (*name == '~' || *name == '/') {
			*at++ = '~';
			*at++ = *name == '~' ? '0' : '1';
		} else {
			*at++ = *name;
		}
	}
	*at = '\0';
	return path;
}

const char *patch_position(const struct verdict *verdict, const char *parent, int position)
{
	return arena_printf(verdict->arena, "%s/%d", parent, position);
}

static void add_operation(struct verdict *verdict, const char *op, const char *path, cJSON *value)
{
	cJSON *operation = cJSON_CreateObject();

	if (!verdict->patch)
		verdict->patch = cJSON_CreateArray();
	json_add_string(operation, "op", op);
	json_add_string(operation, "path", path);
	if (value)
		json_add(operation, "value", value);
	cJSON_AddItemToArray(verdict->patch, operation);
}

void patch_add(struct verdict *verdict, const char *path, cJSON *value)
{
	add_operation(verdict, "add", path, value);
}

void patch_replace(struct verdict *verdict, const char *path, cJSON *value)
{
	add_operation(verdict, "replace", path, value);
}

void patch_remove(struct verdict *verdict, const char *path)
{
	add_operation(verdict, "remove", path, NULL);
}

void patch_ensure_object(struct verdict *verdict, const char *path, const cJSON *item)
{
	if (!item || cJSON_IsNull(item))
		patch_add(verdict, path, cJSON_CreateObject());
}

void patch_set_string(struct verdict *verdict, const char *path, const cJSON *map, const char *name, const char *value)
{
	const cJSON *item = json_get(map, name);
	const char *found = cJSON_GetStringValue(item);

	if (!value && item)
		patch_remove(verdict, patch_path(verdict, path, name));
	if (!value || (found && strcmp(found, value) == 0))
		return;
	patch_ensure_object(verdict, path, map);
	patch_add(verdict, patch_path(verdict, path, name), cJSON_CreateStringReference(value));
}
