/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_TFCONFIG_H
#define CORE_TFCONFIG_H

#include <stddef.h>

#include "base/arena.h"
#include "core/keys.h"
#include "core/stamp.h"

/*
 * The value of TF_CONFIG, as TensorFlow's TFConfigClusterResolver reads it:
 *
 *     {"cluster":{"worker":["trainer-0.hl.ml.svc.cluster.local:2222",...]},"task":{"type":"worker","index":1}}
 *
 * Compact, roles in the order chief, worker, ps, evaluator; one stamp gives every pod the same "cluster" bytes, with
 * two exceptions. Only an evaluator's own cluster lists it, since ParameterServerStrategy hangs where others do. In the
 * sparse form a worker sees the chief, every ps and itself: {"worker":{"<index>":"host:port"}}.
 *
 * Every byte comes from names and numbers that were checked, so none needs an escape and none is a '$', which
 * Kubernetes would expand.
 */

/* Linux refuses an environment string of more than 131,072 bytes with its name, '=' and NUL (MAX_ARG_STRLEN). */
enum { TFCONFIG_MAX = 131072 - (int)sizeof(VARIABLE "=") };

/* Bytes of the value for one pod, without writing it. `namespace` is the sets' namespace. */
size_t tfconfig_size(const struct stamp *stamp, const char *namespace, struct task task);

/* Bytes of the largest value that a pod of the group gets. */
size_t tfconfig_largest_size(const struct stamp *stamp, const char *namespace);

/*
 * How many pods the group may have so that every value fits into TFCONFIG_MAX, where its large entries shrink to one
 * size and the small ones stay.
 */
unsigned tfconfig_largest_group(const struct stamp *stamp, const char *namespace);

/* What follows the pod's name in an entry's addresses: ".hl.ml.svc.cluster.local". NULL where the arena is full. */
const char *tfconfig_domain_of(struct arena *arena, const struct stamp *stamp, const char *namespace,
			       const struct group_entry *entry);

/* The value, which fits into TFCONFIG_MAX (tfconfig_size), NUL-terminated; NULL where the arena is full. */
char *tfconfig_render(struct arena *arena, const struct stamp *stamp, const char *namespace, struct task task);

#endif
