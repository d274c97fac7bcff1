/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_PATCH_H
#define CORE_PATCH_H

#include "core/verdict.h"

/*
 * JSON patches (RFC 6902) against the object under review. A patch that does not apply fails the user's request
 * whatever the failure policy says, so each function asks the object for what is there and emits just what that needs.
 *
 * Paths are JSON pointers (RFC 6901) built by patch_path, which escapes '~' and '/' in the member's name.
 */

/* "<parent>/<name, escaped>", or NULL where the arena is full. */
const char *patch_path(const struct verdict *verdict, const char *parent, const char *name);

/* "<parent>/<position>". */
const char *patch_position(const struct verdict *verdict, const char *parent, int position);

/* One operation; takes ownership of `value`. `path` is borrowed until the arena's reset. */
void patch_add(struct verdict *verdict, const char *path, cJSON *value);
void patch_replace(struct verdict *verdict, const char *path, cJSON *value);
void patch_remove(struct verdict *verdict, const char *path);

/* Adds an empty object at the path where `item`, which is what the object holds there, is absent or null. */
void patch_ensure_object(struct verdict *verdict, const char *path, const cJSON *item);

/*
 * Makes member `name` of the map at `path` the string `value` (NULL: absent). `map` is what the object holds there: no
 * operation where it already says so, and the map is created where it is absent or null.
 */
void patch_set_string(struct verdict *verdict, const char *path, const cJSON *map, const char *name, const char *value);

#endif
