/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_GROUP_ADVICE_H
#define CORE_GROUP_ADVICE_H

#include <cjson/cJSON.h>

#include "core/stamp.h"
#include "core/verdict.h"
#include "core/workload.h"

/*
 * Advice on a group over several StatefulSets, where another set of it is known: all its pods must get the same
 * TF_CONFIG, so each set must say the same and have the pods that the group counts. Given as warnings on the set under
 * review.
 */

/*
 * `stamp` is that of the set under review; `other` is the object, of a kind, of another set that its group names, in
 * the same namespace. Faults of the other set that stage 1 denies are left to stage 1.
 */
void group_advice_give(const struct stamp *stamp, const struct workload_kind *kind, const cJSON *other,
		       struct verdict *verdict);

#endif
