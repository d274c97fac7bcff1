/* SPDX-License-Identifier: Apache-2.0 */
#include "core/wait_container.h"

#include "base/json.h"
#include "core/containers.h"
#include "core/env.h"
#include "core/keys.h"
#include "core/patch.h"

#define INIT_PATH "/spec/initContainers"

static cJSON *list_of(cJSON *item)
{
	cJSON *list = cJSON_CreateArray();

	cJSON_AddItemToArray(list, item);
	return list;
}

/*
 * With 5,700 names the program holds 7 MiB, libraries included, and takes a tenth of a second of CPU time. Requests
 * equal limits, for CPU too: a pod whose other containers are so is Guaranteed, and must not lose the CPUs that it then
 * has for itself. What an init container asks for costs nothing extra where the containers after it ask for more.
 */
static cJSON *amounts(void)
{
	cJSON *amounts = cJSON_CreateObject();

	json_add_string(amounts, "cpu", "100m");
	json_add_string(amounts, "memory", "16Mi");
	return amounts;
}

static cJSON *resources(void)
{
	cJSON *resources = cJSON_CreateObject();

	json_add(resources, "requests", amounts());
	json_add(resources, "limits", amounts());
	return resources;
}

/* https://kubernetes.io/docs/concepts/security/pod-security-standards/, restricted */
static cJSON *security_context(void)
{
	cJSON *context = cJSON_CreateObject();
	cJSON *capabilities = cJSON_CreateObject();
	cJSON *profile = cJSON_CreateObject();

	json_add(context, "allowPrivilegeEscalation", cJSON_CreateFalse());
	json_add(capabilities, "drop", list_of(cJSON_CreateStringReference("ALL")));
	json_add(context, "capabilities", capabilities);
	json_add(context, "readOnlyRootFilesystem", cJSON_CreateTrue());
	json_add(context, "runAsGroup", cJSON_CreateNumber(65532));
	json_add(context, "runAsNonRoot", cJSON_CreateTrue());
	json_add(context, "runAsUser", cJSON_CreateNumber(65532));
	json_add_string(profile, "type", "RuntimeDefault");
	json_add(context, "seccompProfile", profile);
	return context;
}

void wait_container_add(const cJSON *spec, const char *image, const char *value, struct verdict *verdict)
{
	cJSON *container = cJSON_CreateObject();

	json_add_string(container, "name", WAIT_CONTAINER);
	json_add_string(container, "image", image);
	json_add_string(container, "imagePullPolicy", "IfNotPresent");
	json_add(container, "args", list_of(cJSON_CreateStringReference("wait")));
	json_add(container, "env", list_of(env_entry_new(VARIABLE, value)));
	json_add(container, "resources", resources());
	json_add(container, "securityContext", security_context());
	/* Where it fails, `kubectl describe pod` shows the list of the missing. */
	json_add_string(container, "terminationMessagePolicy", "FallbackToLogsOnError");
	if (json_get_array(spec, "initContainers"))
		patch_add(verdict, INIT_PATH "/-", container);
	else
		patch_add(verdict, INIT_PATH, list_of(container));
}
