/* SPDX-License-Identifier: Apache-2.0 */
#include "json_patch.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"

enum { NAME_MAX_LEN = 128 };

/* Moves the pointer behind its first token, which is copied without its escapes. */
static const char *next_token(const char *pointer, char *token)
{
	size_t len = 0;

	for (pointer++; *pointer && *pointer != '/' && len < NAME_MAX_LEN - 1; pointer++) {
		if (pointer[0] == '~' && (pointer[1] == '0' || pointer[1] == '1'))
			token[len++] = *++pointer == '0' ? '~' : '/';
		else
			token[len++] = *pointer;
	}
	token[len] = '\0';
	return pointer;
}

static cJSON *child_of(cJSON *parent, const char *token)
{
	return cJSON_IsArray(parent) ? cJSON_GetArrayItem(parent, atoi(token)) : json_get(parent, token);
}

/* What holds the last token of the pointer, or NULL. */
static cJSON *find_parent(cJSON *tree, const char *pointer, char *token)
{
	while (*(pointer = next_token(pointer, token)) == '/' && tree)
		tree = child_of(tree, token);
	return tree;
}

static int apply(cJSON *tree, const cJSON *operation)
{
	const char *op = json_get_string(operation, "op");
	const char *value_text = json_get_string(operation, "value");
	char token[NAME_MAX_LEN];
	cJSON *parent = find_parent(tree, json_get_string(operation, "path"), token);
	cJSON *value = json_get(operation, "value");
	cJSON *found = child_of(parent, token);
	const char *text = cJSON_GetStringValue(found);

	if (strcmp(op, "test") == 0)
		return text && value_text && strcmp(text, value_text) == 0 ? 0 : -1;
	if (!cJSON_IsObject(parent))
		return -1;
	if (strcmp(op, "remove") == 0 && !found)
		return -1;
	cJSON_DetachItemViaPointer(parent, found);
	if (strcmp(op, "add") == 0)
		return cJSON_AddItemToObject(parent, token, cJSON_Duplicate(value, 1)) ? 0 : -1;
	return strcmp(op, "remove") == 0 ? 0 : -1;
}

const char *json_patch_apply(struct arena *arena, const char *json, const char *patch)
{
	cJSON *tree = json_parse(arena, json, strlen(json), NULL);
	const cJSON *operations = json_parse(arena, patch, strlen(patch), NULL);
	const cJSON *operation;

	if (!tree || !cJSON_IsArray(operations))
		return NULL;
	cJSON_ArrayForEach (operation, operations) {
		if (apply(tree, operation) < 0)
			return NULL;
	}
	return cJSON_PrintUnformatted(tree);
}
