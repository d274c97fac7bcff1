/* SPDX-License-Identifier: Apache-2.0 */
#include "core/service_advice.h"

#include <string.h>

#include "base/json.h"
#include "core/keys.h"
#include "core/messages.h"

/* True where each pod of the set has the label: from its template, or from stage 1. */
static bool pods_have(const struct workload *workload, const cJSON *selected)
{
	const char *wanted = cJSON_GetStringValue(selected);
	const char *found = json_get_string(workload->labels, selected->string);

	if (!wanted)
		return true; /* the API server refuses such a selector */
	if (strcmp(selected->string, INJECT_KEY) == 0)
		found = "true";
	return found && strcmp(found, wanted) == 0;
}

static void advise_on_selector(const struct workload *workload, const char *name, const cJSON *spec,
			       struct verdict *verdict)
{
	const cJSON *selector = json_get_object(spec, "selector");
	const cJSON *selected;

	if (!selector || !selector->child) {
		verdict_warn(verdict, WARN_SERVICE_NO_SELECTOR, name);
		return;
	}
	cJSON_ArrayForEach (selected, selector) {
		if (!pods_have(workload, selected)) {
			verdict_warn(verdict, WARN_SERVICE_SELECTOR, selected->string, cJSON_GetStringValue(selected),
				     name);
			return;
		}
	}
}

void service_advice_give(const struct workload *workload, const char *name, const cJSON *service,
			 struct verdict *verdict)
{
	const cJSON *spec = json_get_object(service, "spec");
	const char *cluster_ip = json_get_string(spec, "clusterIP");

	if (!service) {
		verdict_warn(verdict, WARN_SERVICE_MISSING, name);
		return;
	}
	if (!cluster_ip || strcmp(cluster_ip, "None") != 0)
		verdict_warn(verdict, WARN_SERVICE_CLUSTER_IP, name);
	if (!json_get_true(spec, "publishNotReadyAddresses"))
		verdict_warn(verdict,
			     workload_says(workload, WAIT_KEY, "true") ? WARN_SERVICE_WAITS : WARN_SERVICE_UNREADY,
			     name);
	advise_on_selector(workload, name, spec, verdict);
}
