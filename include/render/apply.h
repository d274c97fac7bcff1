#ifndef RENDER_APPLY_H
#define RENDER_APPLY_H

#include <cjson/cJSON.h>

#include "base/compiler.h"

/*
 * Applies a JSON patch (RFC 6902) as the API server does, as far as the core writes them: the operations add, replace
 * and remove. Strings and values are borrowed from the patch; new nodes live in the arena that the thread has entered.
 * Returns -1 for an operation of another name, or one that has nothing to apply to; the tree is then half patched.
 */
MUST_CHECK int apply_patch(cJSON *tree, const cJSON *patch);

#endif
