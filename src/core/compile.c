/* SPDX-License-Identifier: Apache-2.0 */
#include "core/compile.h"

#include <string.h>

#include "base/json.h"
#include "base/names.h"
#include "core/containers.h"
#include "core/keys.h"
#include "core/messages.h"
#include "core/tfconfig.h"
#include "core/wait_container.h"

int compile_check_selector(const struct workload *workload, struct verdict *verdict)
{
	const char *label = workload_selected_label(workload);

	if (!label)
		return 0;
	return verdict_deny(verdict, "spec.selector", verdict_quote(verdict, label), DENY_SELECTOR);
}

static int check_names(const struct compilation *compilation, struct verdict *verdict)
{
	const struct workload_kind *kind = compilation->workload.kind;
	const char *service = kind->service(&compilation->workload);
	const char *name = compilation->name;

	if (!name[0])
		return verdict_deny(verdict, "metadata.name", "missing", DENY_SET_UNNAMED);
	if (!name_is_dns_label(name))
		return verdict_deny(verdict, "metadata.name", verdict_quote(verdict, name), DENY_SET_NAME);
	if (!name_is_dns_label(compilation->namespace))
		return verdict_deny(verdict, "metadata.namespace", verdict_quote(verdict, compilation->namespace),
				    DENY_NAMESPACE);
	if (!service || !service[0])
		return verdict_deny(verdict, kind->service_field, "missing", DENY_NO_SERVICE);
	if (!name_is_dns_label(service))
		return verdict_deny(verdict, kind->service_field, verdict_quote(verdict, service), DENY_SERVICE_NAME);
	return 0;
}

static int check_template(const struct workload *workload, struct verdict *verdict)
{
	if (!workload->template)
		return verdict_deny(verdict, "spec.template", "missing", DENY_NO_TEMPLATE);
	if (!workload_takes_stamps(workload))
		return verdict_deny(verdict, "spec.template.metadata",
				    verdict_value(verdict, json_get(workload->template, "metadata")), DENY_NO_METADATA);
	return compile_check_selector(workload, verdict);
}

/* A default group can only be wrong in its size, which is what the user wrote. */
static const char *group_field(const struct compilation *compilation)
{
	return compilation->annotations.cluster ? "annotation " CLUSTER_KEY : compilation->workload.kind->size_field;
}

static const char *group_found(const struct compilation *compilation, struct verdict *verdict)
{
	return compilation->annotations.cluster ? verdict_quote(verdict, compilation->annotations.cluster)
						: verdict_number(verdict, compilation->size);
}

int compile_written_group(struct compilation *compilation, struct verdict *verdict)
{
	const char *cluster = compilation->annotations.cluster;
	struct group *group = &compilation->stamp.group;
	struct error err;
	int result = cluster ? group_parse(verdict->arena, cluster, group, &err)
			     : group_of_workers(verdict->arena, group, &err);

	if (result < 0)
		return verdict_deny(verdict, group_field(compilation), group_found(compilation, verdict), "%s",
				    err.message);
	return 0;
}

/* Looks up the number of a named port. */
static int resolve_port(struct compilation *compilation, struct verdict *verdict)
{
	const struct annotations *annotations = &compilation->annotations;
	const char *field = "annotation " PORT_KEY;
	const char *found;
	unsigned ports[2];

	compilation->stamp.port = annotations->port;
	if (!annotations->port_name)
		return 0;
	found = verdict_quote(verdict, annotations->port_name);
	if (group_spans_sets(&compilation->stamp.group, compilation->name))
		return verdict_deny(verdict, field, found, DENY_PORT_NAME_OF_SEVERAL);
	switch (containers_find_port(compilation->workload.pod_spec, annotations->port_name, ports)) {
	case 0:
		return verdict_deny(verdict, field, found, DENY_PORT_UNKNOWN);
	case 1:
		compilation->stamp.port = ports[0];
		return 0;
	default:
		return verdict_deny(verdict, field, found, DENY_PORT_AMBIGUOUS, ports[0], ports[1]);
	}
}

static int check_containers(const struct compilation *compilation, struct verdict *verdict)
{
	const struct annotations *annotations = &compilation->annotations;

	if (!annotations->containers.names)
		return 0;
	return containers_check(compilation->workload.pod_spec, &annotations->containers, verdict,
				"annotation " CONTAINERS_KEY, verdict_quote(verdict, annotations->containers_text));
}

static int check_wait(const struct compilation *compilation, struct verdict *verdict)
{
	static const char field[] = "annotation " WAIT_KEY;
	static const char found[] = "\"true\"";

	if (!compilation->annotations.wait)
		return 0;
	if (compilation->workload.kind->is_ordered(&compilation->workload))
		return verdict_deny(verdict, field, found, DENY_WAIT_ORDERED);
	if (containers_find(compilation->workload.pod_spec, WAIT_CONTAINER))
		return verdict_deny(verdict, field, found, DENY_WAIT_CONTAINER, WAIT_CONTAINER);
	if (!compilation->config->wait_image)
		return verdict_deny(verdict, field, found, DENY_WAIT_NO_IMAGE);
	return 0;
}

/* Resolves the group against the number of pods. */
static int resolve_group(struct compilation *compilation, struct verdict *verdict)
{
	struct stamp *stamp = &compilation->stamp;
	struct group_owner owner = {
		.set = compilation->name,
		.service = compilation->workload.kind->service(&compilation->workload),
		.replicas = compilation->size,
		.first_ordinal = compilation->first,
	};
	struct error err;

	if (group_resolve(&stamp->group, &owner, &stamp->follows_replicas, &err) < 0)
		return verdict_deny(verdict, group_field(compilation), group_found(compilation, verdict), "%s",
				    err.message);
	if (stamp->sparse && group_role_size(&stamp->group, ROLE_PS) == 0)
		return verdict_deny(verdict, "annotation " SPARSE_KEY, "\"true\"", DENY_SPARSE);
	return 0;
}

/*
 * Keeps the old stamp where it says the same and the template is unchanged. Nothing new is written then, so its size is
 * not checked: a change of the cluster domain must not make a running set too large.
 */
static bool keep_stamp(struct compilation *compilation, struct arena *arena)
{
	struct stamp before;
	int version;

	if (!compilation->old.stamp || !workload_template_equal(&compilation->workload, &compilation->old) ||
	    stamp_decode(arena, compilation->old.stamp, &before, &version, NULL) < 0 ||
	    !stamp_equal(&before, &compilation->stamp))
		return false;
	compilation->stamp = before;
	compilation->kept_text = compilation->old.stamp;
	return true;
}

static int check_size(const struct compilation *compilation, struct verdict *verdict)
{
	const struct stamp *stamp = &compilation->stamp;
	const char *namespace = compilation->namespace;
	size_t size = tfconfig_largest_size(stamp, namespace);
	const char *found;
	unsigned fits;

	if (size <= TFCONFIG_MAX)
		return 0;
	found = group_found(compilation, verdict);
	fits = tfconfig_largest_group(stamp, namespace);
	if (stamp->address == ADDRESS_FQDN)
		return verdict_deny(verdict, group_field(compilation), found, DENY_TOO_LARGE_FQDN, size, TFCONFIG_MAX,
				    fits);
	return verdict_deny(verdict, group_field(compilation), found, DENY_TOO_LARGE, size, TFCONFIG_MAX, fits);
}

int compile(struct compilation *compilation, struct verdict *verdict)
{
	const struct annotations *annotations = &compilation->annotations;
	struct stamp *stamp = &compilation->stamp;

	if (check_names(compilation, verdict) < 0 || check_template(&compilation->workload, verdict) < 0 ||
	    compilation->workload.kind->read_size(&compilation->workload, verdict, &compilation->size,
						  &compilation->first) < 0 ||
	    compile_written_group(compilation, verdict) < 0 || resolve_port(compilation, verdict) < 0 ||
	    check_containers(compilation, verdict) < 0 || check_wait(compilation, verdict) < 0)
		return -1;
	stamp->start = compilation->first;
	stamp->address = annotations->address;
	stamp->domain = compilation->config->cluster_domain;
	stamp->sparse = annotations->sparse;
	stamp->overwrite = annotations->overwrite;
	stamp->grpc = annotations->grpc;
	stamp->containers = annotations->containers;
	stamp->wait = annotations->wait;
	if (compilation->size == 0)
		return 0;
	if (resolve_group(compilation, verdict) < 0)
		return -1;
	return keep_stamp(compilation, verdict->arena) ? 0 : check_size(compilation, verdict);
}
