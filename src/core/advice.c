#include "core/advice.h"

#include <limits.h>
#include <string.h>
#include <strings.h>

#include "core/containers.h"
#include "core/json.h"
#include "core/messages.h"
#include "core/names.h"
#include "core/text.h"

enum { SET_NAME_MAX = 52 }; /* the controller's label <name>-<hash> must fit into 63 characters */

static const cJSON *pod_spec_of(const struct advice_subject *subject)
{
	return json_get_object(json_get_object(subject->spec, "template"), "spec");
}

static void advise_on_names(const struct advice_subject *subject, struct verdict *verdict)
{
	unsigned highest = subject->start + (subject->replicas ? subject->replicas - 1 : 0);
	const char *pod = arena_printf(verdict->arena, "%s-%u", subject->name, highest);

	if (strlen(subject->name) > SET_NAME_MAX)
		verdict_warn(verdict, WARN_LONG_NAME);
	if (pod && strlen(pod) > DNS_LABEL_MAX)
		verdict_warn(verdict, WARN_LONG_POD_NAME, highest);
}

static void advise_on_rollout(const struct advice_subject *subject, struct verdict *verdict)
{
	const cJSON *strategy = json_get_object(subject->spec, "updateStrategy");
	const char *policy = json_get_string(subject->spec, "podManagementPolicy");
	const char *type = json_get_string(strategy, "type");
	unsigned partition;

	if (!policy || strcmp(policy, "OrderedReady") == 0)
		verdict_warn(verdict, WARN_ORDERED_READY);
	if (type && strcmp(type, "OnDelete") == 0)
		verdict_warn(verdict, WARN_ON_DELETE);
	if (json_get_unsigned(json_get_object(strategy, "rollingUpdate"), "partition", 0, INT_MAX, &partition) &&
	    partition > 0)
		verdict_warn(verdict, WARN_PARTITION, partition);
	if (subject->settings->restart_asked)
		verdict_warn(verdict, WARN_RESTART_BY_HAND);
}

static void advise_on_network(const struct advice_subject *subject, struct verdict *verdict)
{
	const cJSON *spec = pod_spec_of(subject);
	const char *dns = json_get_string(spec, "dnsPolicy");
	bool host = json_get_true(spec, "hostNetwork");

	if (!dns)
		dns = "ClusterFirst";
	if (host && subject->stamp)
		verdict_warn(verdict, WARN_HOST_NETWORK, subject->stamp->port);
	if (host && strcmp(dns, "ClusterFirstWithHostNet") != 0)
		verdict_warn(verdict, WARN_DNS_POLICY, dns, "WithHostNet");
	else if (strcmp(dns, "None") == 0 || strcmp(dns, "Default") == 0)
		verdict_warn(verdict, WARN_DNS_POLICY, dns, "");
	if (!cJSON_IsFalse(json_get(spec, "enableServiceLinks")))
		verdict_warn(verdict, WARN_SERVICE_LINKS);
}

static bool has_istio_sidecar(const cJSON *template)
{
	static const char *const arrays[] = {"initContainers", "containers"};
	static const char *const maps[] = {"labels", "annotations"};

	for (size_t i = 0; i < ARRAY_LEN(maps); i++) {
		const cJSON *map = json_get_object(json_get_object(template, "metadata"), maps[i]);
		const char *inject = json_get_string(map, "sidecar.istio.io/inject");

		if (inject)
			return strcmp(inject, "true") == 0;
	}
	for (size_t i = 0; i < ARRAY_LEN(arrays); i++) {
		const cJSON *container;

		cJSON_ArrayForEach (container, json_get_array(json_get_object(template, "spec"), arrays[i])) {
			if (strcmp(container_name(container), "istio-proxy") == 0)
				return true;
		}
	}
	return false;
}

static void advise_on_istio(const struct advice_subject *subject, struct verdict *verdict)
{
	if (has_istio_sidecar(json_get_object(subject->spec, "template")))
		verdict_warn(verdict, WARN_ISTIO);
}

/* The variable by which gRPC finds a proxy for this container: the first of three that is set, or NULL. */
static const char *proxy_variable(const cJSON *container)
{
	static const char *const variables[] = {"grpc_proxy", "https_proxy", "http_proxy"};

	for (size_t i = 0; i < ARRAY_LEN(variables); i++) {
		const cJSON *entry = container_env(container, variables[i]);
		const char *value = json_get_string(entry, "value");

		if (!entry)
			continue;
		/* An empty value is no proxy, and hides the variables behind it; one from elsewhere is taken as set. */
		return json_get(entry, "valueFrom") || (value && value[0]) ? variables[i] : NULL;
	}
	return NULL;
}

static bool ends_with(const char *host, const char *end, size_t end_len)
{
	size_t host_len = strlen(host);

	return host_len >= end_len && strncasecmp(host + host_len - end_len, end, end_len) == 0;
}

/* True where gRPC's suffix match takes the host out of the proxy's hands. */
static bool no_proxy_covers(const char *list, const char *host)
{
	for (;;) {
		size_t len = strcspn(list, ",");
		const char *entry = list;
		size_t trimmed = text_trim(&entry, len);

		if (trimmed && ends_with(host, entry, trimmed))
			return true;
		if (!list[len])
			return false;
		list += len + 1;
	}
}

/* The end that every address behind the service has: what no_proxy should hold. */
static const char *address_end(const struct stamp *stamp, const struct group_entry *entry, struct arena *arena)
{
	if (stamp->address == ADDRESS_SHORT)
		return arena_printf(arena, ".%s", entry->service);
	return stamp->domain[0] ? arena_printf(arena, ".%s", stamp->domain) : ".svc";
}

static const char *address_host(const struct advice_subject *subject, const struct group_entry *entry,
				struct arena *arena)
{
	const struct stamp *stamp = subject->stamp;

	if (stamp->address == ADDRESS_SHORT)
		return arena_printf(arena, "%s-%u.%s", entry->set, entry->first_ordinal, entry->service);
	return arena_printf(arena, "%s-%u.%s.%s.svc%s%s", entry->set, entry->first_ordinal, entry->service,
			    subject->namespace, stamp->domain[0] ? "." : "", stamp->domain);
}

static void advise_on_proxy(const struct advice_subject *subject, const cJSON *container, struct verdict *verdict)
{
	const char *variable = proxy_variable(container);
	const cJSON *entry = container_env(container, "no_grpc_proxy");
	const char *list;

	if (!variable || !subject->stamp)
		return;
	if (!entry)
		entry = container_env(container, "no_proxy");
	if (json_get(entry, "valueFrom"))
		return;
	list = json_get_string(entry, "value");
	for (size_t i = 0; i < subject->stamp->group.len; i++) {
		const struct group_entry *pods = &subject->stamp->group.entries[i];
		const char *host = address_host(subject, pods, verdict->arena);
		const char *end = address_end(subject->stamp, pods, verdict->arena);

		if (!host || !end || (list && no_proxy_covers(list, host)))
			continue;
		verdict_warn(verdict, WARN_PROXY, variable, end, container_name(container));
		return;
	}
}

static void advise_on_containers(const struct advice_subject *subject, struct verdict *verdict)
{
	struct container_walk walk;

	container_walk_begin(&walk, pod_spec_of(subject), &subject->settings->containers);
	while (container_walk_next(&walk)) {
		if (!subject->settings->overwrite && container_env(walk.container, "TF_CONFIG"))
			verdict_warn(verdict, WARN_KEEPS_TF_CONFIG, container_name(walk.container));
		advise_on_proxy(subject, walk.container, verdict);
	}
}

static void advise_on_group(const struct advice_subject *subject, struct verdict *verdict)
{
	if (subject->stamp && group_role_size(&subject->stamp->group, ROLE_PS) > 0 &&
	    group_role_size(&subject->stamp->group, ROLE_CHIEF) == 0)
		verdict_warn(verdict, WARN_PS_WITHOUT_CHIEF);
}

void advice_give(const struct advice_subject *subject, struct verdict *verdict)
{
	advise_on_names(subject, verdict);
	advise_on_group(subject, verdict);
	advise_on_rollout(subject, verdict);
	advise_on_network(subject, verdict);
	advise_on_istio(subject, verdict);
	advise_on_containers(subject, verdict);
}
