/* SPDX-License-Identifier: Apache-2.0 */
#include "core/inject.h"

#include <string.h>

#include "base/json.h"
#include "core/env.h"
#include "core/keys.h"
#include "core/patch.h"

/* The container's last TF_CONFIG entry, which is the one that counts; its position, and how many there are. */
static const cJSON *find_entry(const cJSON *env, int *ret_position, int *ret_count)
{
	const cJSON *last = NULL;
	const cJSON *entry;
	int position = 0;

	*ret_count = 0;
	*ret_position = 0;
	cJSON_ArrayForEach (entry, env) {
		if (env_entry_is(entry, VARIABLE)) {
			last = entry;
			*ret_position = position;
			(*ret_count)++;
		}
		position++;
	}
	return last;
}

/* Removes the TF_CONFIG entries before one at a position, the last of them first, so that positions stay right. */
static void remove_entries_before(const cJSON *entry, int position, const char *env_path, struct verdict *verdict)
{
	while (position-- > 0) {
		entry = entry->prev;
		if (env_entry_is(entry, VARIABLE))
			patch_remove(verdict, patch_position(verdict, env_path, position));
	}
}

/* Puts the variable in front, so that a later entry of the user's can refer to $(TF_CONFIG). */
static void insert_entry(const cJSON *env, const char *env_path, const char *value, struct verdict *verdict)
{
	cJSON *list;

	if (env) {
		patch_add(verdict, patch_position(verdict, env_path, 0), env_entry_new(VARIABLE, value));
		return;
	}
	list = cJSON_CreateArray();
	cJSON_AddItemToArray(list, env_entry_new(VARIABLE, value));
	patch_add(verdict, env_path, list);
}

void inject_variable(const cJSON *container, const char *path, const char *value, bool overwrite,
		     struct verdict *verdict)
{
	const char *env_path = path ? patch_path(verdict, path, "env") : NULL;
	const cJSON *env = json_get_array(container, "env");
	const cJSON *entry;
	const char *found;
	int position;
	int count;

	if (!env_path)
		return;
	entry = find_entry(env, &position, &count);
	if (!entry) {
		insert_entry(env, env_path, value, verdict);
		return;
	}
	if (!overwrite)
		return;
	found = json_get_string(entry, "value");
	if (!found || strcmp(found, value) != 0 || json_get(entry, "valueFrom"))
		patch_replace(verdict, patch_position(verdict, env_path, position), env_entry_new(VARIABLE, value));
	if (count > 1)
		remove_entries_before(entry, position, env_path, verdict);
}
