/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_INJECT_H
#define CORE_INJECT_H

#include <stdbool.h>

#include <cjson/cJSON.h>

#include "core/verdict.h"

/*
 * Gives a container its TF_CONFIG, by operations of the patch. `path` is the container's JSON pointer; NULL, where the
 * arena is full, adds nothing.
 *
 * The variable goes in front, so that a later entry of the user's can refer to $(TF_CONFIG). One that is there stays,
 * unless it is to be overwritten: then the last, which is the one that counts, gets the value, and earlier ones go.
 */
void inject_variable(const cJSON *container, const char *path, const char *value, bool overwrite,
		     struct verdict *verdict);

#endif
