/* SPDX-License-Identifier: Apache-2.0 */
#include "core/advice.h"

#include <string.h>
#include <strings.h>

#include "base/json.h"
#include "base/text.h"
#include "core/containers.h"
#include "core/env.h"
#include "core/keys.h"
#include "core/messages.h"
#include "core/tfconfig.h"

enum {
	/* How far advice looks, so that it takes little time whatever an object holds. */
	CONTAINERS_LOOKED_AT = 20,
	ENTRIES_LOOKED_AT = 20,    /* of the group */
	NO_PROXY_LOOKED_AT = 4096, /* bytes */
};

static void advise_on_network(const struct compilation *subject, struct verdict *verdict)
{
	const cJSON *spec = subject->workload.pod_spec;
	const char *dns = json_get_string(spec, "dnsPolicy");
	bool host = json_get_true(spec, "hostNetwork");

	if (!dns)
		dns = "ClusterFirst";
	if (host && subject->size > 0)
		verdict_warn(verdict, WARN_HOST_NETWORK, subject->stamp.port);
	if (host && strcmp(dns, "ClusterFirstWithHostNet") != 0)
		verdict_warn(verdict, WARN_DNS_POLICY, dns, "WithHostNet");
	else if (strcmp(dns, "None") == 0 || strcmp(dns, "Default") == 0)
		verdict_warn(verdict, WARN_DNS_POLICY, dns, "");
	if (!cJSON_IsFalse(json_get(spec, "enableServiceLinks")))
		verdict_warn(verdict, WARN_SERVICE_LINKS);
}

static bool has_istio_sidecar(const struct workload *workload)
{
	const cJSON *const maps[] = {workload->labels, workload->annotations};
	struct container_walk walk;

	for (size_t i = 0; i < ARRAY_LEN(maps); i++) {
		const char *inject = json_get_string(maps[i], "sidecar.istio.io/inject");

		if (inject)
			return strcmp(inject, "true") == 0;
	}
	container_walk_all(&walk, workload->pod_spec);
	while (container_walk_next(&walk)) {
		if (strcmp(container_name(walk.container), "istio-proxy") == 0)
			return true;
	}
	return false;
}

static void advise_on_istio(const struct compilation *subject, struct verdict *verdict)
{
	if (has_istio_sidecar(&subject->workload))
		verdict_warn(verdict, WARN_ISTIO);
}

/* The variable by which gRPC finds a proxy for this container: the first of three that is set, or NULL. */
static const char *proxy_variable(const cJSON *container)
{
	static const char *const variables[] = {"grpc_proxy", "https_proxy", "http_proxy"};

	for (size_t i = 0; i < ARRAY_LEN(variables); i++) {
		const cJSON *entry = env_find(container, variables[i]);
		const char *value = json_get_string(entry, "value");

		if (!entry)
			continue;
		/* An empty value means no proxy and hides the variables after it; one from elsewhere counts as set. */
		return json_get(entry, "valueFrom") || (value && value[0]) ? variables[i] : NULL;
	}
	return NULL;
}

/* True where gRPC's suffix match takes every host that ends so out of the proxy's hands. */
static bool no_proxy_covers(const char *list, const char *domain)
{
	size_t domain_len = strlen(domain);

	for (;;) {
		size_t len = strcspn(list, ",");
		const char *entry = list;
		size_t trimmed = text_trim(&entry, len);

		if (trimmed && trimmed <= domain_len && strncasecmp(domain + domain_len - trimmed, entry, trimmed) == 0)
			return true;
		if (!list[len])
			return false;
		list += len + 1;
	}
}

/* What no_proxy should hold for an address that ends in `domain`. */
static const char *no_proxy_entry(const struct stamp *stamp, const char *domain, struct arena *arena)
{
	if (stamp->address == ADDRESS_SHORT)
		return domain;
	return stamp->domain[0] ? arena_printf(arena, ".%s", stamp->domain) : ".svc";
}

/* The domain of one of the group's Services that no_proxy does not cover; NULL: it covers all of them. */
static const char *uncovered_domain(const struct compilation *subject, const char *list, struct arena *arena)
{
	const struct group *group = &subject->stamp.group;
	const char *service = "";

	for (size_t i = 0; i < group->len && i < ENTRIES_LOOKED_AT; i++) {
		const char *domain;

		if (strcmp(group->entries[i].service, service) == 0)
			continue;
		service = group->entries[i].service;
		domain = tfconfig_domain_of(arena, &subject->stamp, subject->namespace, &group->entries[i]);
		if (domain && (!list || !no_proxy_covers(list, domain)))
			return domain;
	}
	return NULL;
}

/* Returns whether it warned. */
static bool advise_on_proxy(const struct compilation *subject, const cJSON *container, struct verdict *verdict)
{
	const char *variable = proxy_variable(container);
	const char *list_variable = "no_grpc_proxy";
	const cJSON *entry = env_find(container, list_variable);
	const char *domain;
	const char *end;
	const char *list;

	if (!variable)
		return false;
	if (!entry) {
		list_variable = "no_proxy";
		entry = env_find(container, list_variable);
	}
	list = json_get_string(entry, "value");
	/* We can't judge a list that is not written here, and do not read one that is unreasonably long. */
	if (json_get(entry, "valueFrom") || (list && strlen(list) > NO_PROXY_LOOKED_AT))
		return false;
	domain = uncovered_domain(subject, list, verdict->arena);
	end = domain ? no_proxy_entry(&subject->stamp, domain, verdict->arena) : NULL;
	if (!end)
		return false;
	verdict_warn(verdict, WARN_PROXY, variable, end, list_variable, container_name(container));
	return true;
}

static void advise_on_containers(const struct compilation *subject, struct verdict *verdict)
{
	bool proxied = false;
	int looked_at = 0;
	struct container_walk walk;

	container_walk_targets(&walk, subject->workload.pod_spec, &subject->annotations.containers);
	while (container_walk_next(&walk)) {
		if (!subject->annotations.overwrite && env_find(walk.container, VARIABLE))
			verdict_warn(verdict, WARN_KEEPS_TF_CONFIG, container_name(walk.container));
		if (subject->size > 0 && !proxied && looked_at++ < CONTAINERS_LOOKED_AT)
			proxied = advise_on_proxy(subject, walk.container, verdict);
	}
}

static void advise_on_group(const struct compilation *subject, struct verdict *verdict)
{
	if (subject->size > 0 && group_role_size(&subject->stamp.group, ROLE_PS) > 0 &&
	    group_role_size(&subject->stamp.group, ROLE_CHIEF) == 0)
		verdict_warn(verdict, WARN_PS_WITHOUT_CHIEF);
}

void advice_give(const struct compilation *subject, struct verdict *verdict)
{
	const struct workload_kind *kind = subject->workload.kind;

	kind->advise_on_names(subject->name, subject->size, subject->first, verdict);
	advise_on_group(subject, verdict);
	kind->advise_on_rollout(&subject->workload, verdict);
	advise_on_network(subject, verdict);
	advise_on_istio(subject, verdict);
	advise_on_containers(subject, verdict);
}
