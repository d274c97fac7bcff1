#ifndef RENDER_PODS_H
#define RENDER_PODS_H

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "core/annotations.h"

/*
 * The pods of a StatefulSet, made from its template as its controller makes them, but for the label with the hash of
 * the revision. https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/
 */

/* The pod of an ordinal. The thread must have entered the arena; NULL, or a part, where it is full. */
cJSON *pod_of(struct arena *arena, const cJSON *set, const char *namespace, unsigned ordinal);

/*
 * The TF_CONFIG that a pod got: the one in its patch, else that of the first container which was to get one and has its
 * own. NULL where there is none.
 */
const char *pod_tf_config(const cJSON *pod, const cJSON *patch, const struct container_list *containers);

#endif
