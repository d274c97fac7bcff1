/* SPDX-License-Identifier: Apache-2.0 */
#include "render/apply.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/names.h"

enum { NAME_MAX_SIZE = 512 }; /* bytes of a name in a path; labels and fields are shorter */

/* Takes the first name off a JSON pointer (RFC 6901). False if there is none, or it is too long. */
static bool take_name(const char **pointer, char name[NAME_MAX_SIZE])
{
	const char *at = *pointer;
	size_t len = 0;

	if (*at++ != '/')
		return false;
	for (; *at && *at != '/'; at++) {
		if (len + 1 == NAME_MAX_SIZE)
			return false;
		if (*at == '~' && at[1])
			name[len++] = *++at == '1' ? '/' : '~';
		else
			name[len++] = *at;
	}
	name[len] = '\0';
	*pointer = at;
	return true;
}

static bool position_of(const char *name, int *ret_position)
{
	unsigned position;

	if (!name_parse_decimal(name, INT_MAX, &position))
		return false;
	*ret_position = (int)position;
	return true;
}

static cJSON *child_of(cJSON *parent, const char *name)
{
	int position;

	if (cJSON_IsArray(parent))
		return position_of(name, &position) ? cJSON_GetArrayItem(parent, position) : NULL;
	return json_get(parent, name);
}

/* Puts the value into an array or object, which owns it from then on. */
static int put(cJSON *parent, const char *name, cJSON *value, bool replace)
{
	int position;

	if (cJSON_IsObject(parent)) {
		cJSON_DeleteItemFromObjectCaseSensitive(parent, name);
		return cJSON_AddItemToObject(parent, name, value) ? 0 : -1;
	}
	if (cJSON_IsArray(parent) && !replace && strcmp(name, "-") == 0) /* after the last */
		return cJSON_AddItemToArray(parent, value) ? 0 : -1;
	if (!cJSON_IsArray(parent) || !position_of(name, &position) || position > cJSON_GetArraySize(parent))
		return -1;
	if (replace)
		return cJSON_ReplaceItemInArray(parent, position, value) ? 0 : -1;
	return cJSON_InsertItemInArray(parent, position, value) ? 0 : -1;
}

static int apply_operation(cJSON *tree, const cJSON *operation)
{
	const char *op = json_get_string(operation, "op");
	const char *pointer = json_get_string(operation, "path");
	char name[NAME_MAX_SIZE];
	cJSON *parent = tree;
	cJSON *child;

	if (!op || !pointer || !take_name(&pointer, name))
		return -1;
	while (*pointer) {
		parent = child_of(parent, name);
		if (!parent || !take_name(&pointer, name))
			return -1;
	}
	child = child_of(parent, name);
	if (strcmp(op, "add") == 0)
		return put(parent, name, cJSON_Duplicate(json_get(operation, "value"), true), false);
	if (!child)
		return -1;
	if (strcmp(op, "replace") == 0)
		return put(parent, name, cJSON_Duplicate(json_get(operation, "value"), true), true);
	if (strcmp(op, "remove") != 0)
		return -1;
	cJSON_DetachItemViaPointer(parent, child);
	return 0;
}

int apply_patch(cJSON *tree, const cJSON *patch)
{
	const cJSON *operation;

	cJSON_ArrayForEach (operation, patch) {
		if (apply_operation(tree, operation) < 0)
			return -1;
	}
	return 0;
}
