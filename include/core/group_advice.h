#ifndef CORE_GROUP_ADVICE_H
#define CORE_GROUP_ADVICE_H

#include <cjson/cJSON.h>

#include "core/stamp.h"
#include "core/verdict.h"
#include "core/workload.h"

/*
 * Advice on a group over several StatefulSets, where another set of it is at hand: all pods of the group must be told
 * the same, so every set must say the same and have the pods that the group counts. Given as warnings on the one.
 */

/*
 * `stamp` is what the set under review comes to; `other` is the object, of a kind, of another set that its group names, in
 * the same namespace. What stage 1 would deny on the other set itself is left to it.
 */
void group_advice_give(const struct stamp *stamp, const struct workload_kind *kind, const cJSON *other,
		       struct verdict *verdict);

#endif
