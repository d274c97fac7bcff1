#include "core/statefulset.h"

#include <limits.h>
#include <string.h>

#include "core/advice.h"
#include "core/containers.h"
#include "core/json.h"
#include "core/messages.h"
#include "core/names.h"
#include "core/patch.h"
#include "core/settings.h"
#include "core/stamp.h"
#include "core/tfconfig.h"

#define TEMPLATE_PATH "/spec/template"

/* A StatefulSet taken apart. Parts that are absent are NULL. */
struct set {
	const cJSON *metadata;
	const cJSON *spec;
	const cJSON *template;
	const cJSON *labels;	  /* of the template */
	const cJSON *annotations; /* of the template */
	const char *label;	  /* the stamps on the template */
	const char *stamp;
};

/* What an opted-in set compiles to. */
struct compiled {
	struct settings settings;
	unsigned replicas;
	unsigned start;
	bool stamped; /* false with no replicas: there is no group to stamp */
	struct stamp stamp;
};

static struct set take_apart(const cJSON *object)
{
	const cJSON *spec = json_get_object(object, "spec");
	const cJSON *template = json_get_object(spec, "template");
	const cJSON *metadata = json_get_object(template, "metadata");
	struct set set = {
		.metadata = json_get_object(object, "metadata"),
		.spec = spec,
		.template = template,
		.labels = json_get_object(metadata, "labels"),
		.annotations = json_get_object(metadata, "annotations"),
	};

	set.label = json_get_string(set.labels, INJECT_KEY);
	set.stamp = json_get_string(set.annotations, GROUP_KEY);
	return set;
}

static bool skip_metadata(const char *name)
{
	return strcmp(name, "metadata") == 0;
}

static bool skip_labels_and_annotations(const char *name)
{
	return strcmp(name, "labels") == 0 || strcmp(name, "annotations") == 0;
}

static bool skip_label(const char *name)
{
	return strcmp(name, INJECT_KEY) == 0;
}

static bool skip_stamp(const char *name)
{
	return strcmp(name, GROUP_KEY) == 0;
}

static bool skip_others(const char *name)
{
	return strncmp(name, ANNOTATION_PREFIX, strlen(ANNOTATION_PREFIX)) != 0;
}

/* Compares two templates without our stamps. */
static bool templates_equal(const struct set *a, const struct set *b)
{
	return json_members_equal(a->template, b->template, skip_metadata) &&
	       json_members_equal(json_get_object(a->template, "metadata"), json_get_object(b->template, "metadata"),
				  skip_labels_and_annotations) &&
	       json_members_equal(a->labels, b->labels, skip_label) &&
	       json_members_equal(a->annotations, b->annotations, skip_stamp);
}

/* A number of the spec, or UINT_MAX where it is none; two such fields are then equal only where both are wrong. */
static unsigned number_of(const cJSON *object, const char *name, unsigned fallback)
{
	unsigned number;

	return json_get_unsigned(object, name, fallback, INT_MAX, &number) ? number : UINT_MAX;
}

static unsigned replicas_of(const struct set *set)
{
	return number_of(set->spec, "replicas", 1);
}

static unsigned start_of(const struct set *set)
{
	return number_of(json_get_object(set->spec, "ordinals"), "start", 0);
}

static const char *service_of(const struct set *set)
{
	const char *service = json_get_string(set->spec, "serviceName");

	return service ? service : "";
}

/* True where the request changes nothing that a group is made of. */
static bool group_untouched(const struct set *set, const struct set *old)
{
	return replicas_of(set) == replicas_of(old) && start_of(set) == start_of(old) &&
	       strcmp(service_of(set), service_of(old)) == 0 && templates_equal(set, old) &&
	       json_members_equal(json_get_object(set->metadata, "annotations"),
				  json_get_object(old->metadata, "annotations"), skip_others);
}

/* Makes both stamps what they shall be; NULL: absent. */
static void put_stamps(const struct set *set, const char *label, const char *stamp, struct verdict *verdict)
{
	if (label || stamp)
		patch_ensure_object(verdict, TEMPLATE_PATH "/metadata", json_get(set->template, "metadata"));
	patch_set_string(verdict, TEMPLATE_PATH "/metadata/labels", set->labels, INJECT_KEY, label);
	patch_set_string(verdict, TEMPLATE_PATH "/metadata/annotations", set->annotations, GROUP_KEY, stamp);
}

/* The first label of ours that the selector holds, or NULL. */
static const char *selected_label(const struct set *set)
{
	const cJSON *selector = json_get_object(set->spec, "selector");
	const cJSON *item;

	cJSON_ArrayForEach (item, json_get_object(selector, "matchLabels")) {
		if (!skip_others(item->string))
			return item->string;
	}
	cJSON_ArrayForEach (item, json_get_array(selector, "matchExpressions")) {
		const char *key = json_get_string(item, "key");

		if (key && !skip_others(key))
			return key;
	}
	return NULL;
}

static int check_selector(const struct set *set, struct verdict *verdict)
{
	const char *label = selected_label(set);

	if (!label)
		return 0;
	return verdict_deny(verdict, "spec.selector", verdict_quote(verdict, label), DENY_SELECTOR);
}

static int check_fields(const struct request *request, const struct set *set, struct verdict *verdict)
{
	const char *service = json_get_string(set->spec, "serviceName");

	if (!name_is_dns_label(request->name))
		return verdict_deny(verdict, "metadata.name", verdict_quote(verdict, request->name), DENY_SET_NAME);
	if (!name_is_dns_label(request->namespace))
		return verdict_deny(verdict, "metadata.namespace", verdict_quote(verdict, request->namespace),
				    DENY_NAMESPACE);
	if (!set->template)
		return verdict_deny(verdict, "spec.template", "missing", DENY_NO_TEMPLATE);
	if (!service || !service[0])
		return verdict_deny(verdict, "spec.serviceName", "missing", DENY_NO_SERVICE);
	if (!name_is_dns_label(service))
		return verdict_deny(verdict, "spec.serviceName", verdict_quote(verdict, service), DENY_SERVICE_NAME);
	if (replicas_of(set) == UINT_MAX)
		return verdict_deny(verdict, "spec.replicas", "no such number", DENY_NUMBER, (unsigned)INT_MAX);
	if (start_of(set) == UINT_MAX)
		return verdict_deny(verdict, "spec.ordinals.start", "no such number", DENY_NUMBER, (unsigned)INT_MAX);
	return check_selector(set, verdict);
}

/* A group that is not written can't be wrong, but for its size; then the replicas are what the user wrote. */
static const char *group_field(const struct settings *settings)
{
	return settings->cluster ? "annotation " CLUSTER_KEY : "spec.replicas";
}

static const char *group_found(const struct set *set, const struct settings *settings, struct verdict *verdict)
{
	return settings->cluster ? verdict_quote(verdict, settings->cluster)
				 : verdict_number(verdict, replicas_of(set));
}

static int deny_group(const struct set *set, const struct settings *settings, const char *text, struct verdict *verdict)
{
	return verdict_deny(verdict, group_field(settings), group_found(set, settings, verdict), "%s", text);
}

static int parse_group(const struct set *set, const struct settings *settings, struct group *group,
		       struct verdict *verdict)
{
	struct error err;
	int result = settings->cluster ? group_parse(verdict->arena, settings->cluster, group, &err)
				       : group_of_workers(verdict->arena, group, &err);

	return result < 0 ? deny_group(set, settings, err.message, verdict) : 0;
}

/* Finds the number behind a port's name. */
static int resolve_port(const struct request *request, const struct set *set, const struct settings *settings,
			const struct group *group, unsigned *ret_port, struct verdict *verdict)
{
	const char *field = "annotation " ANNOTATION_PREFIX "port";
	const char *found;
	unsigned ports[2];

	*ret_port = settings->port;
	if (!settings->port_name)
		return 0;
	found = verdict_quote(verdict, settings->port_name);
	if (group_spans_sets(group, request->name))
		return verdict_deny(verdict, field, found, DENY_PORT_NAME_OF_SEVERAL);
	switch (containers_find_port(json_get_object(set->template, "spec"), settings->port_name, ports)) {
	case 0:
		return verdict_deny(verdict, field, found, DENY_PORT_UNKNOWN);
	case 1:
		*ret_port = ports[0];
		return 0;
	default:
		return verdict_deny(verdict, field, found, DENY_PORT_AMBIGUOUS, ports[0], ports[1]);
	}
}

static int check_containers(const struct set *set, const struct settings *settings, struct verdict *verdict)
{
	const struct container_list *list = &settings->containers;
	const char *annotations = json_get_string(json_get_object(set->metadata, "annotations"), CONTAINERS_KEY);

	if (!list->names)
		return 0;
	if (!annotations)
		annotations = json_get_string(set->annotations, CONTAINERS_KEY);
	return containers_check(json_get_object(set->template, "spec"), list, verdict, "annotation " CONTAINERS_KEY,
				verdict_quote(verdict, annotations ? annotations : ""));
}

static int check_size(const struct request *request, const struct set *set, const struct compiled *compiled,
		      struct verdict *verdict)
{
	size_t size = tfconfig_largest_size(&compiled->stamp, request->namespace);
	struct stamp shrunk = compiled->stamp;
	unsigned fits;

	if (size <= TFCONFIG_MAX)
		return 0;
	shrunk.group.entries = arena_calloc(verdict->arena, shrunk.group.len, sizeof(*shrunk.group.entries));
	if (!shrunk.group.entries)
		return deny_group(set, &compiled->settings, MESSAGE_NO_MEMORY, verdict);
	memcpy(shrunk.group.entries, compiled->stamp.group.entries, shrunk.group.len * sizeof(*shrunk.group.entries));
	fits = tfconfig_largest_group(&shrunk, request->namespace);
	if (shrunk.address == ADDRESS_FQDN)
		return verdict_deny(verdict, group_field(&compiled->settings),
				    group_found(set, &compiled->settings, verdict), DENY_TOO_LARGE_FQDN, size,
				    TFCONFIG_MAX, fits);
	return verdict_deny(verdict, group_field(&compiled->settings), group_found(set, &compiled->settings, verdict),
			    DENY_TOO_LARGE, size, TFCONFIG_MAX, fits);
}

/* Resolves the group against the replicas there are. */
static int resolve_group(const struct request *request, const struct set *set, struct compiled *compiled,
			 struct verdict *verdict)
{
	struct stamp *stamp = &compiled->stamp;
	struct group_owner owner = {
		.set = request->name,
		.service = service_of(set),
		.replicas = compiled->replicas,
		.first_ordinal = compiled->start,
	};
	struct error err;

	if (group_resolve(&stamp->group, &owner, &stamp->follows_replicas, &err) < 0)
		return deny_group(set, &compiled->settings, err.message, verdict);
	if (compiled->settings.sparse && group_role_size(&stamp->group, ROLE_PS) == 0)
		return verdict_deny(verdict, "annotation " ANNOTATION_PREFIX "sparse", "\"true\"", DENY_SPARSE);
	compiled->stamped = true;
	return check_size(request, set, compiled, verdict);
}

/* Checks everything that the set says and makes the stamp of it. */
static int compile(const struct request *request, const struct review_config *config, const struct set *set,
		   struct compiled *compiled, struct verdict *verdict)
{
	const struct settings *settings = &compiled->settings;
	struct stamp *stamp = &compiled->stamp;

	if (check_fields(request, set, verdict) < 0 || parse_group(set, settings, &stamp->group, verdict) < 0 ||
	    resolve_port(request, set, settings, &stamp->group, &stamp->port, verdict) < 0 ||
	    check_containers(set, settings, verdict) < 0)
		return -1;
	compiled->replicas = replicas_of(set);
	compiled->start = start_of(set);
	stamp->start = compiled->start;
	stamp->address = settings->address;
	stamp->domain = config->cluster_domain;
	stamp->sparse = settings->sparse;
	stamp->overwrite = settings->overwrite;
	stamp->grpc = settings->grpc;
	stamp->containers = settings->containers;
	if (compiled->replicas == 0)
		return 0;
	return resolve_group(request, set, compiled, verdict);
}

static void advise(const struct request *request, const struct set *set, const struct compiled *compiled,
		   struct verdict *verdict)
{
	struct advice_subject subject = {
		.name = request->name,
		.namespace = request->namespace,
		.spec = set->spec,
		.replicas = compiled->replicas,
		.start = compiled->start,
		.settings = &compiled->settings,
		.stamp = compiled->stamped ? &compiled->stamp : NULL,
	};

	advice_give(&subject, verdict);
}

/* The stamp that the set shall carry: the one before it where that says the same, else a fresh one. */
static const char *choose_stamp(const struct set *set, const struct set *old, const struct compiled *compiled,
				struct verdict *verdict)
{
	struct stamp before;
	int version;

	if (!compiled->stamped)
		return old->stamp;
	if (old->stamp && templates_equal(set, old) &&
	    stamp_decode(verdict->arena, old->stamp, &before, &version, NULL) == 0 &&
	    stamp_equal(&before, &compiled->stamp))
		return old->stamp;
	return stamp_encode(verdict->arena, &compiled->stamp);
}

/* Nothing changed that a group is made of: the stamps of before come back, and the update is never denied. */
static void keep_stamps(const struct request *request, const struct review_config *config, const struct set *set,
			const struct set *old, struct verdict *verdict)
{
	struct verdict unheard = {.arena = verdict->arena, .object = verdict->object};
	struct compiled compiled = {0};

	put_stamps(set, old->label, old->stamp, verdict);
	if (settings_read(request->object, &unheard, &compiled.settings) == 0 &&
	    compiled.settings.inject == INJECT_TRUE && compile(request, config, set, &compiled, &unheard) == 0)
		advise(request, set, &compiled, verdict);
}

/* The set has not opted in: it carries no stamps. */
static void opt_out(const struct request *request, const struct set *set, const struct set *old,
		    const struct settings *settings, struct verdict *verdict)
{
	struct group group;

	if (settings->cluster && parse_group(set, settings, &group, verdict) < 0)
		return;
	if (request->operation == OPERATION_CREATE && settings->inject == INJECT_UNSET && set->label) {
		verdict_deny(verdict, "label " INJECT_KEY " of the pod template", verdict_quote(verdict, set->label),
			     DENY_LABEL_ALONE);
		return;
	}
	if (set->label && check_selector(set, verdict) < 0)
		return;
	put_stamps(set, NULL, NULL, verdict);
	if (set->label || set->stamp || old->label || old->stamp)
		verdict_warn(verdict, WARN_STAMPS_REMOVED);
	if (settings->others && settings->inject == INJECT_UNSET)
		verdict_warn(verdict, WARN_NOT_INJECTED);
}

void statefulset_admit(const struct request *request, const struct review_config *config, struct verdict *verdict)
{
	struct set set = take_apart(request->object);
	struct set old = take_apart(request->operation == OPERATION_UPDATE ? request->old_object : NULL);
	struct compiled compiled = {0};

	if (json_get_string(set.metadata, "deletionTimestamp"))
		return;
	if (request->operation == OPERATION_UPDATE && request->old_object && group_untouched(&set, &old)) {
		keep_stamps(request, config, &set, &old, verdict);
		return;
	}
	if (settings_read(request->object, verdict, &compiled.settings) < 0)
		return;
	if (compiled.settings.inject != INJECT_TRUE) {
		opt_out(request, &set, &old, &compiled.settings, verdict);
		return;
	}
	if (compile(request, config, &set, &compiled, verdict) < 0)
		return;
	put_stamps(&set, "true", choose_stamp(&set, &old, &compiled, verdict), verdict);
	advise(request, &set, &compiled, verdict);
}
