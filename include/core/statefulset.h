/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_STATEFULSET_H
#define CORE_STATEFULSET_H

#include <stdbool.h>

#include "core/workload.h"

/*
 * What is true of StatefulSets alone.
 * https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/
 */

extern const struct workload_kind statefulset_kind;

/*
 * Reads the ordinal of pod `pod` of StatefulSet `owner`, which follows "<owner>-" in its name. False where the name is
 * not "<owner>-<decimal without leading zero>": for "a-1", pod "a-1-0" is 0, and pod "b-0" is not a pod of "a".
 */
bool statefulset_parse_ordinal(const char *pod, const char *owner, unsigned *ret_ordinal);

#endif
