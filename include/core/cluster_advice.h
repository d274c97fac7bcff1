#ifndef CORE_CLUSTER_ADVICE_H
#define CORE_CLUSTER_ADVICE_H

#include "core/compile.h"
#include "core/related.h"
#include "core/verdict.h"

/*
 * Advice on a StatefulSet that opted in by what the cluster holds beside it: service_advice.h and group_advice.h, on
 * what was found. Asks for what it would like to see.
 */

/*
 * What is unknown gives no advice, nor does another set that is missing: it may be applied next. The list is one that
 * another review of the same object made, or empty.
 */
void cluster_advice_give(const struct compilation *subject, struct related_list *related, struct verdict *verdict);

#endif
