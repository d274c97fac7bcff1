#include "core/statefulset.h"

#include <limits.h>
#include <string.h>

#include "base/json.h"
#include "base/names.h"
#include "core/advice.h"
#include "core/annotations.h"
#include "core/cluster_advice.h"
#include "core/containers.h"
#include "core/messages.h"
#include "core/patch.h"
#include "core/set.h"
#include "core/stamp.h"
#include "core/tfconfig.h"
#include "core/wait_container.h"

#define TEMPLATE_PATH "/spec/template"

/* The StatefulSet under review, the one before it, and what they come to. */
struct review {
	const struct request *request;
	const char *domain;
	const char *wait_image;       /* NULL: none */
	struct related_list *related; /* NULL: nobody will look */
	struct set set;
	struct set old; /* empty but for an UPDATE */
	struct annotations annotations;
	unsigned replicas;
	unsigned start;
	struct stamp stamp;    /* where there are replicas: with none there is no group */
	const char *kept_text; /* the old stamp, where it says the same and stays; `stamp` is then what it says */
};

/* True where the template is one that stamps can be put on: its metadata is an object, or can be made one. */
static bool takes_stamps(const struct set *set)
{
	const cJSON *metadata = json_get(set->template, "metadata");

	return set->template && (!metadata || cJSON_IsNull(metadata) || cJSON_IsObject(metadata));
}

/* Makes both stamps what they shall be; NULL: absent. */
static void put_stamps(const struct review *review, const char *label, const char *stamp, struct verdict *verdict)
{
	const struct set *set = &review->set;

	if (!takes_stamps(set))
		return; /* the API server denies such a set */
	if (label || stamp)
		patch_ensure_object(verdict, TEMPLATE_PATH "/metadata", json_get(set->template, "metadata"));
	patch_set_string(verdict, TEMPLATE_PATH "/metadata/labels", set->labels, INJECT_KEY, label);
	patch_set_string(verdict, TEMPLATE_PATH "/metadata/annotations", set->annotations, GROUP_KEY, stamp);
}

static int check_selector(const struct set *set, struct verdict *verdict)
{
	const char *label = set_selected_label(set);

	if (!label)
		return 0;
	return verdict_deny(verdict, "spec.selector", verdict_quote(verdict, label), DENY_SELECTOR);
}

static int check_names(const struct review *review, struct verdict *verdict)
{
	const struct request *request = review->request;
	const char *service = json_get_string(review->set.spec, "serviceName");

	if (!request->name[0])
		return verdict_deny(verdict, "metadata.name", "missing", DENY_SET_UNNAMED);
	if (!name_is_dns_label(request->name))
		return verdict_deny(verdict, "metadata.name", verdict_quote(verdict, request->name), DENY_SET_NAME);
	if (!name_is_dns_label(request->namespace))
		return verdict_deny(verdict, "metadata.namespace", verdict_quote(verdict, request->namespace),
				    DENY_NAMESPACE);
	if (!service || !service[0])
		return verdict_deny(verdict, "spec.serviceName", "missing", DENY_NO_SERVICE);
	if (!name_is_dns_label(service))
		return verdict_deny(verdict, "spec.serviceName", verdict_quote(verdict, service), DENY_SERVICE_NAME);
	return 0;
}

static int check_template(const struct set *set, struct verdict *verdict)
{
	if (!set->template)
		return verdict_deny(verdict, "spec.template", "missing", DENY_NO_TEMPLATE);
	if (!takes_stamps(set))
		return verdict_deny(verdict, "spec.template.metadata",
				    verdict_value(verdict, json_get(set->template, "metadata")), DENY_NO_METADATA);
	return check_selector(set, verdict);
}

static int read_numbers(struct review *review, struct verdict *verdict)
{
	const cJSON *spec = review->set.spec;
	const cJSON *ordinals = json_get_object(spec, "ordinals");

	if (!set_replicas(&review->set, &review->replicas))
		return verdict_deny(verdict, "spec.replicas", verdict_value(verdict, json_get(spec, "replicas")),
				    DENY_NUMBER, (unsigned)INT_MAX);
	if (!set_start(&review->set, &review->start))
		return verdict_deny(verdict, "spec.ordinals.start", verdict_value(verdict, json_get(ordinals, "start")),
				    DENY_NUMBER, (unsigned)INT_MAX);
	if (review->start > INT_MAX - review->replicas)
		return verdict_deny(verdict, "spec.ordinals.start", verdict_number(verdict, review->start),
				    DENY_ORDINALS, review->replicas, (unsigned)INT_MAX);
	return 0;
}

/* A group that is not written can't be wrong, but for its size; then the replicas are what the user wrote. */
static const char *group_field(const struct review *review)
{
	return review->annotations.cluster ? "annotation " CLUSTER_KEY : "spec.replicas";
}

static const char *group_found(const struct review *review, struct verdict *verdict)
{
	return review->annotations.cluster ? verdict_quote(verdict, review->annotations.cluster)
					   : verdict_number(verdict, review->replicas);
}

static int parse_group(struct review *review, struct verdict *verdict)
{
	const char *cluster = review->annotations.cluster;
	struct group *group = &review->stamp.group;
	struct error err;
	int result = cluster ? group_parse(verdict->arena, cluster, group, &err)
			     : group_of_workers(verdict->arena, group, &err);

	if (result < 0)
		return verdict_deny(verdict, group_field(review), group_found(review, verdict), "%s", err.message);
	return 0;
}

/* Finds the number behind a port's name. */
static int resolve_port(struct review *review, struct verdict *verdict)
{
	const struct annotations *annotations = &review->annotations;
	const char *field = "annotation " PORT_KEY;
	const char *found;
	unsigned ports[2];

	review->stamp.port = annotations->port;
	if (!annotations->port_name)
		return 0;
	found = verdict_quote(verdict, annotations->port_name);
	if (group_spans_sets(&review->stamp.group, review->request->name))
		return verdict_deny(verdict, field, found, DENY_PORT_NAME_OF_SEVERAL);
	switch (containers_find_port(review->set.pod_spec, annotations->port_name, ports)) {
	case 0:
		return verdict_deny(verdict, field, found, DENY_PORT_UNKNOWN);
	case 1:
		review->stamp.port = ports[0];
		return 0;
	default:
		return verdict_deny(verdict, field, found, DENY_PORT_AMBIGUOUS, ports[0], ports[1]);
	}
}

static int check_containers(const struct review *review, struct verdict *verdict)
{
	const struct annotations *annotations = &review->annotations;

	if (!annotations->containers.names)
		return 0;
	return containers_check(review->set.pod_spec, &annotations->containers, verdict, "annotation " CONTAINERS_KEY,
				verdict_quote(verdict, annotations->containers_text));
}

static int check_wait(const struct review *review, struct verdict *verdict)
{
	static const char field[] = "annotation " WAIT_KEY;
	static const char found[] = "\"true\"";

	if (!review->annotations.wait)
		return 0;
	if (set_is_ordered(&review->set))
		return verdict_deny(verdict, field, found, DENY_WAIT_ORDERED);
	if (containers_find(review->set.pod_spec, WAIT_CONTAINER))
		return verdict_deny(verdict, field, found, DENY_WAIT_CONTAINER, WAIT_CONTAINER);
	if (!review->wait_image)
		return verdict_deny(verdict, field, found, DENY_WAIT_NO_IMAGE);
	return 0;
}

/* Resolves the group against the replicas there are. */
static int resolve_group(struct review *review, struct verdict *verdict)
{
	struct stamp *stamp = &review->stamp;
	struct group_owner owner = {
		.set = review->request->name,
		.service = json_get_string(review->set.spec, "serviceName"),
		.replicas = review->replicas,
		.first_ordinal = review->start,
	};
	struct error err;

	if (group_resolve(&stamp->group, &owner, &stamp->follows_replicas, &err) < 0)
		return verdict_deny(verdict, group_field(review), group_found(review, verdict), "%s", err.message);
	if (stamp->sparse && group_role_size(&stamp->group, ROLE_PS) == 0)
		return verdict_deny(verdict, "annotation " SPARSE_KEY, "\"true\"", DENY_SPARSE);
	return 0;
}

/*
 * Keeps the stamp of before where it says the same and the template stays. Then nothing new is written, so nothing of
 * it is checked: another cluster domain makes no set too large that runs.
 */
static bool keep_stamp(struct review *review, struct arena *arena)
{
	struct stamp before;
	int version;

	if (!review->old.stamp || !set_template_equal(&review->set, &review->old) ||
	    stamp_decode(arena, review->old.stamp, &before, &version, NULL) < 0 ||
	    !stamp_equal(&before, &review->stamp))
		return false;
	review->stamp = before;
	review->kept_text = review->old.stamp;
	return true;
}

static int check_size(const struct review *review, struct verdict *verdict)
{
	const struct stamp *stamp = &review->stamp;
	const char *namespace = review->request->namespace;
	size_t size = tfconfig_largest_size(stamp, namespace);
	const char *found;
	unsigned fits;

	if (size <= TFCONFIG_MAX)
		return 0;
	found = group_found(review, verdict);
	fits = tfconfig_largest_group(stamp, namespace);
	if (stamp->address == ADDRESS_FQDN)
		return verdict_deny(verdict, group_field(review), found, DENY_TOO_LARGE_FQDN, size, TFCONFIG_MAX, fits);
	return verdict_deny(verdict, group_field(review), found, DENY_TOO_LARGE, size, TFCONFIG_MAX, fits);
}

/* Checks everything that the set says, and makes the stamp of it. */
static int compile(struct review *review, struct verdict *verdict)
{
	const struct annotations *annotations = &review->annotations;
	struct stamp *stamp = &review->stamp;

	if (check_names(review, verdict) < 0 || check_template(&review->set, verdict) < 0 ||
	    read_numbers(review, verdict) < 0 || parse_group(review, verdict) < 0 ||
	    resolve_port(review, verdict) < 0 || check_containers(review, verdict) < 0 ||
	    check_wait(review, verdict) < 0)
		return -1;
	stamp->start = review->start;
	stamp->address = annotations->address;
	stamp->domain = review->domain;
	stamp->sparse = annotations->sparse;
	stamp->overwrite = annotations->overwrite;
	stamp->grpc = annotations->grpc;
	stamp->containers = annotations->containers;
	stamp->wait = annotations->wait;
	if (review->replicas == 0)
		return 0;
	if (resolve_group(review, verdict) < 0)
		return -1;
	return keep_stamp(review, verdict->arena) ? 0 : check_size(review, verdict);
}

static void advise(const struct review *review, struct verdict *verdict)
{
	struct advice_subject subject = {
		.name = review->request->name,
		.namespace = review->request->namespace,
		.set = &review->set,
		.replicas = review->replicas,
		.start = review->start,
		.annotations = &review->annotations,
		.stamp = review->replicas ? &review->stamp : NULL,
	};

	advice_give(&subject, verdict);
	if (review->related)
		cluster_advise(&subject, review->related, verdict);
}

/* Nothing changed that a group is made of: the stamps of before come back, and the update is never denied. */
static void restore_stamps(struct review *review, struct verdict *verdict)
{
	struct verdict unheard = {.arena = verdict->arena, .object = verdict->object};

	put_stamps(review, review->old.label, review->old.stamp, verdict);
	if (annotations_read(review->request->object, &unheard, &review->annotations) == 0 &&
	    review->annotations.inject == INJECT_TRUE && compile(review, &unheard) == 0)
		advise(review, verdict);
}

/* The set has not opted in: it carries no stamps. */
static void opt_out(struct review *review, struct verdict *verdict)
{
	const struct set *set = &review->set;
	const struct annotations *annotations = &review->annotations;

	if (annotations->cluster && parse_group(review, verdict) < 0)
		return;
	if (review->request->operation == OPERATION_CREATE && annotations->inject == INJECT_UNSET && set->label) {
		verdict_deny(verdict, "label " INJECT_KEY " of the pod template", verdict_quote(verdict, set->label),
			     DENY_LABEL_ALONE);
		return;
	}
	if (set->label && check_selector(set, verdict) < 0)
		return;
	put_stamps(review, NULL, NULL, verdict);
	if (set->label || set->stamp || review->old.label || review->old.stamp)
		verdict_warn(verdict, WARN_STAMPS_REMOVED);
	if (annotations->others && annotations->inject == INJECT_UNSET)
		verdict_warn(verdict, WARN_NOT_INJECTED);
}

static void opt_in(struct review *review, struct verdict *verdict)
{
	const char *stamp = review->old.stamp; /* which stays while there are no replicas */

	if (compile(review, verdict) < 0)
		return;
	if (review->replicas > 0)
		stamp = review->kept_text ? review->kept_text : stamp_encode(verdict->arena, &review->stamp);
	put_stamps(review, "true", stamp, verdict);
	advise(review, verdict);
}

void statefulset_admit(const struct request *request, const struct review_config *config, struct related_list *related,
		       struct verdict *verdict)
{
	const cJSON *old_object = request->operation == OPERATION_UPDATE ? request->old_object : NULL;
	struct review review = {
		.request = request,
		.domain = config->cluster_domain,
		.wait_image = config->wait_image,
		.related = related,
		.set = set_of(request->object),
		.old = set_of(old_object),
	};

	if (json_get_string(review.set.metadata, "deletionTimestamp"))
		return;
	if (old_object && set_group_untouched(&review.set, &review.old)) {
		restore_stamps(&review, verdict);
		return;
	}
	if (annotations_read(request->object, verdict, &review.annotations) < 0)
		return;
	if (review.annotations.inject == INJECT_TRUE)
		opt_in(&review, verdict);
	else
		opt_out(&review, verdict);
}

/* A stamp of a version that this build does not read may say the same: replicas of two versions run side by side. */
static bool is_of_another_version(const struct set *set, struct arena *arena, unsigned *ret_size)
{
	struct stamp stamp;
	int version = 0;

	if (!set->stamp)
		return false;
	if (stamp_decode(arena, set->stamp, &stamp, &version, NULL) < 0)
		return version != 0 && version != STAMP_VERSION;
	*ret_size = group_size(&stamp.group);
	return false;
}

static bool has_label(const struct set *set)
{
	return set->label && strcmp(set->label, "true") == 0;
}

void statefulset_check_stamp(const cJSON *object, const struct review_config *config, struct arena *arena,
			     struct stamp_check *ret_check)
{
	const cJSON *metadata = json_get_object(object, "metadata");
	const char *name = json_get_string(metadata, "name");
	const char *namespace = json_get_string(metadata, "namespace");
	const struct request request = {.name = name ? name : "", .namespace = namespace ? namespace : ""};
	struct verdict verdict = {.arena = arena,
				  .object = arena_printf(arena, "StatefulSet %s/%s", request.namespace, request.name)};
	struct review review = {.request = &request,
				.domain = config->cluster_domain,
				.wait_image = config->wait_image,
				.set = set_of(object),
				.old = set_of(object)}; /* a stamp that says the same is kept */

	*ret_check = (struct stamp_check){.service = json_get_string(review.set.spec, "serviceName"),
					  .rolls = set_rolls(&review.set)};
	if (json_get_string(metadata, "deletionTimestamp") || !set_says(&review.set, INJECT_KEY, "true"))
		return;
	if (annotations_read(object, &verdict, &review.annotations) < 0 || compile(&review, &verdict) < 0) {
		ret_check->state = STAMP_DENIED;
		ret_check->denial = verdict.denial;
		return;
	}
	ret_check->state = STAMP_CURRENT;
	ret_check->restarts = !review.annotations.scale_denied;
	if (review.replicas == 0)
		return;
	ret_check->size = group_size(&review.stamp.group);
	if (!is_of_another_version(&review.set, arena, &ret_check->was) &&
	    !(review.kept_text && has_label(&review.set)))
		ret_check->state = STAMP_STALE;
}
