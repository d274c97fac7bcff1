/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_ENV_H
#define CORE_ENV_H

#include <stdbool.h>

#include <cjson/cJSON.h>

/*
 * The environment of a container.
 */

/* An entry of env with a value; both are borrowed until the arena's reset. */
cJSON *env_entry_new(const char *name, const char *value);

/* True where an entry of env is called `name`. */
bool env_entry_is(const cJSON *entry, const char *name);

/* The last entry `name` of the container's env, which is the one that counts; NULL where there is none. */
const cJSON *env_find(const cJSON *container, const char *name);

#endif
