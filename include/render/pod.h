/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_POD_H
#define RENDER_POD_H

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "core/annotations.h"

/*
 * A pod of a StatefulSet, made from the template the way the StatefulSet controller makes it, except for the label with
 * the hash of the revision. https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/
 */

/*
 * The pod with an ordinal, in the arena, which the thread must have entered. If the arena is full, returns NULL or an
 * incomplete pod, and arena->state says so.
 */
cJSON *pod_make(struct arena *arena, const cJSON *set, const char *namespace, unsigned ordinal);

/*
 * The TF_CONFIG that a pod got: the one in its patch, else that of the first targeted container that has its own. NULL
 * if there is none. Borrowed from the pod or the patch.
 */
const char *pod_tf_config(const cJSON *pod, const cJSON *patch, const struct container_list *containers);

#endif
