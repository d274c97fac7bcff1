/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_CLUSTER_ADVICE_H
#define CORE_CLUSTER_ADVICE_H

#include "core/compile.h"
#include "core/related.h"
#include "core/verdict.h"

/*
 * Advice on a workload that opted in, from other objects of the cluster: service_advice.h and group_advice.h, applied
 * to what was found. Adds the objects that it wants to the list.
 */

/*
 * An object that is unknown yields no advice, and neither does another set that is missing: it may be applied next. The
 * list is empty, or was filled by an earlier review of the same object.
 */
void cluster_advice_give(const struct compilation *subject, struct related_list *related, struct verdict *verdict);

#endif
