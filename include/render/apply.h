/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_APPLY_H
#define RENDER_APPLY_H

#include <cjson/cJSON.h>

#include "base/compiler.h"

/*
 * Applies a JSON patch (RFC 6902) the way the API server does. Supports the operations that the core writes: add,
 * replace and remove. Values are copied into the arena that the thread has entered. Returns -1 for any other
 * operation, or one that has nothing to apply to; the tree is then partly patched.
 */
MUST_CHECK int apply_patch(cJSON *tree, const cJSON *patch);

#endif
