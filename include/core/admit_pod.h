/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_ADMIT_POD_H
#define CORE_ADMIT_POD_H

#include "core/config.h"
#include "core/request.h"
#include "core/verdict.h"

/*
 * Stage 2: a pod with our label is created. Reads the stamp that came with its template and the ordinal in its name,
 * and puts TF_CONFIG into its containers, or denies: a worker without its TF_CONFIG would silently train alone.
 */
void admit_pod(const struct request *request, const struct review_config *config, struct verdict *verdict);

#endif
