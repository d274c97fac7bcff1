#ifndef CORE_STATEFULSET_H
#define CORE_STATEFULSET_H

#include "core/related.h"
#include "core/request.h"
#include "core/review.h"
#include "core/verdict.h"

/*
 * Stage 1: a StatefulSet is created or updated. Reads its annotations, compiles the group and stamps the pod template,
 * or takes the stamps away, or denies. What it decides depends on the object and the one before it alone, so that
 * applying an object twice changes nothing, and no upgrade, flag or restart of the webhook rolls a set.
 *
 * The warnings, and they alone, also depend on what was found of the objects in `related` (NULL: nobody will look),
 * which the set adds to.
 */
void statefulset_admit(const struct request *request, const struct review_config *config, struct related_list *related,
		       struct verdict *verdict);

#endif
