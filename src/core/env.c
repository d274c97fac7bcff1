/* SPDX-License-Identifier: Apache-2.0 */
#include "core/env.h"

#include <string.h>

#include "base/json.h"

cJSON *env_entry_new(const char *name, const char *value)
{
	cJSON *entry = cJSON_CreateObject();

	json_add_string(entry, "name", name);
	json_add_string(entry, "value", value);
	return entry;
}

bool env_entry_is(const cJSON *entry, const char *name)
{
	const char *entry_name = json_get_string(entry, "name");

	return entry_name && strcmp(entry_name, name) == 0;
}

const cJSON *env_find(const cJSON *container, const char *name)
{
	const cJSON *last = NULL;
	const cJSON *entry;

	cJSON_ArrayForEach (entry, json_get_array(container, "env")) {
		if (env_entry_is(entry, name))
			last = entry;
	}
	return last;
}
