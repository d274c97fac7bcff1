/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_KINDS_H
#define CORE_KINDS_H

#include "core/workload.h"

/*
 * The kinds of workloads that there are.
 */

/* By the group and the resource of a request, such as "apps" and "statefulsets". NULL: none. */
const struct workload_kind *kind_of_resource(const char *group, const char *resource);

/* By what an object, or a reference to it, says: "StatefulSet" and "apps/v1". Each may be NULL. NULL: none. */
const struct workload_kind *kind_of_object(const char *kind, const char *api_version);

#endif
