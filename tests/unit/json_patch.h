/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JSON_PATCH_H
#define JSON_PATCH_H

#include "base/arena.h"

/*
 * Applies a JSON patch as an API server would: the operations test, add and remove, on members of objects and on items
 * that are there. Returns the new text, in the arena that the thread has entered, or NULL where an operation fails.
 */
const char *json_patch_apply(struct arena *arena, const char *json, const char *patch);

#endif
