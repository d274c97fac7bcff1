/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_KINDS_H
#define CORE_KINDS_H

#include "core/workload.h"

/*
 * The kinds of workloads that there are.
 */

/* By the group and the resource of a request, such as "apps" and "statefulsets". NULL: none. */
const struct workload_kind *kind_of_resource(const char *group, const char *resource);

/* By what a controller reference says, such as "StatefulSet" and "apps/v1", each of which may be NULL. NULL: none. */
const struct workload_kind *kind_of_owner(const char *kind, const char *api_version);

#endif
