/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_WAIT_CONTAINER_H
#define CORE_WAIT_CONTAINER_H

#include "core/verdict.h"

/*
 * The init container that `tfconfig.dev/wait` asks for: `tfconfig-webhook wait` in the webhook's own image, with the
 * pod's TF_CONFIG. It fits into a namespace of the Pod Security Standard "restricted".
 */

#define WAIT_CONTAINER "tfconfig-wait"

/*
 * Adds it to the pod, last among the init containers that `spec` has now. `image` and `value` live as long as the
 * arena.
 */
void wait_container_add(const cJSON *spec, const char *image, const char *value, struct verdict *verdict);

#endif
