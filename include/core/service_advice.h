/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_SERVICE_ADVICE_H
#define CORE_SERVICE_ADVICE_H

#include <cjson/cJSON.h>

#include "core/workload.h"
#include "core/verdict.h"

/*
 * Advice on the Service that gives a set's pods their DNS names: it must be headless, publish pods that are not ready,
 * and select them. Given as warnings, where the Service is at hand.
 */

/* `service` is the object of that name in the set's namespace; NULL: there is none. `name` is the spec.serviceName. */
void service_advice_give(const struct workload *workload, const char *name, const cJSON *service,
			 struct verdict *verdict);

#endif
