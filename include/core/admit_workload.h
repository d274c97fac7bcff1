/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_ADMIT_WORKLOAD_H
#define CORE_ADMIT_WORKLOAD_H

#include "core/config.h"
#include "core/related.h"
#include "core/request.h"
#include "core/verdict.h"
#include "core/workload.h"

/*
 * Stage 1: a workload is created or updated. Reads its annotations, compiles the group and stamps the pod template, or
 * takes the stamps away, or denies. What it decides depends on the object and the one before it alone, so that applying
 * an object twice changes nothing, and no upgrade, flag or restart of the webhook rolls a workload's pods.
 *
 * Only the warnings also depend on what was found of the objects in `related` (NULL: nothing will be looked up), to
 * which the workload adds what it would like to see.
 */
void admit_workload(const struct workload_kind *kind, const struct request *request, const struct review_config *config,
		    struct related_list *related, struct verdict *verdict);

#endif
