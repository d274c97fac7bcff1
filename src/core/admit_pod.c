/* SPDX-License-Identifier: Apache-2.0 */
#include "core/admit_pod.h"

#include <string.h>

#include "base/json.h"
#include "base/names.h"
#include "core/containers.h"
#include "core/inject.h"
#include "core/keys.h"
#include "core/kinds.h"
#include "core/messages.h"
#include "core/patch.h"
#include "core/stamp.h"
#include "core/tfconfig.h"
#include "core/wait_container.h"

#define STAMP_FIELD "annotation " GROUP_KEY

/* What the pod is, once found out. */
struct member {
	const cJSON *metadata;
	const cJSON *spec;
	const cJSON *labels;
	const struct workload_kind *kind; /* of its controller */
	const char *set;                  /* the name of that */
	unsigned ordinal;
	struct stamp stamp;
	struct task task;
};

static bool is_ours(const cJSON *metadata)
{
	const char *label = json_get_string(json_get_object(metadata, "labels"), INJECT_KEY);

	return label && strcmp(label, "true") == 0 && !json_get_string(metadata, "deletionTimestamp") &&
	       !json_get(json_get_object(metadata, "annotations"), MIRROR_ANNOTATION);
}

static const cJSON *controller_of(const cJSON *metadata)
{
	const cJSON *owner;

	cJSON_ArrayForEach (owner, json_get_array(metadata, "ownerReferences")) {
		if (json_get_true(owner, "controller"))
			return owner;
	}
	return NULL;
}

/* Reads the owner's name where it is a workload of a kind that is known; another is denied. */
static int read_owner(const cJSON *owner, struct member *member, struct verdict *verdict)
{
	const char *kind = json_get_string(owner, "kind");
	const char *version = json_get_string(owner, "apiVersion");
	const char *name = json_get_string(owner, "name");
	const char *found;

	member->kind = kind_of_object(kind, version);
	if (!member->kind) {
		found = arena_printf(verdict->arena, "%s of %s", verdict_quote(verdict, kind ? kind : ""),
				     verdict_quote(verdict, version ? version : ""));
		return verdict_deny(verdict, "the kind of its owner", found ? found : "another", DENY_OWNER);
	}
	if (!name || !name_is_dns_label(name))
		return verdict_deny(verdict, "the name of its StatefulSet", verdict_quote(verdict, name ? name : ""),
				    DENY_OWNER_NAME);
	member->set = name;
	return 0;
}

static int read_stamp(const struct request *request, struct member *member, struct verdict *verdict)
{
	const char *text = json_get_string(json_get_object(member->metadata, "annotations"), GROUP_KEY);
	struct error err;
	int version;

	if (!name_is_dns_label(request->namespace))
		return verdict_deny(verdict, "metadata.namespace", verdict_quote(verdict, request->namespace),
				    DENY_NAMESPACE);
	if (!text)
		return verdict_deny(verdict, STAMP_FIELD, "missing", DENY_NO_STAMP, request->namespace, member->set);
	if (stamp_decode(verdict->arena, text, &member->stamp, &version, &err) == 0)
		return 0;
	if (version != 0 && version != STAMP_VERSION)
		return verdict_deny(verdict, "the version of " STAMP_FIELD, verdict_number(verdict, (unsigned)version),
				    DENY_STAMP_VERSION, STAMP_VERSION, request->namespace, member->set);
	return verdict_deny(verdict, STAMP_FIELD, verdict_quote(verdict, text), DENY_STAMP_UNREADABLE, err.message,
			    request->namespace, member->set);
}

/* True where a group that follows the replicas up to this pod would still fit, so that a restart cures it. */
static bool restart_cures(const struct request *request, const struct member *member)
{
	struct group_entry entries[GROUP_ENTRIES_MAX];
	struct stamp grown = member->stamp;
	struct group_entry *last = NULL;

	memcpy(entries, grown.group.entries, grown.group.len * sizeof(*entries));
	grown.group.entries = entries;
	for (size_t i = 0; i < grown.group.len; i++) {
		if (strcmp(entries[i].set, member->set) == 0)
			last = &entries[i];
	}
	if (last && member->ordinal >= last->first_ordinal)
		last->count = member->ordinal - last->first_ordinal + 1;
	return tfconfig_largest_size(&grown, request->namespace) <= TFCONFIG_MAX;
}

static int deny_outside(const struct request *request, const struct member *member, unsigned first,
			struct verdict *verdict)
{
	const struct group *group = &member->stamp.group;
	const char *found = verdict_number(verdict, member->ordinal);
	const char *set = member->set;
	unsigned size = group_set_size(group, set);
	unsigned last = first + size - 1;

	if (!member->stamp.follows_replicas && group_spans_sets(group, set))
		return verdict_deny(verdict, "its ordinal", found, DENY_OUTSIDE_SEVERAL, size, set, set, first, set,
				    last);
	if (!member->stamp.follows_replicas)
		return verdict_deny(verdict, "its ordinal", found, DENY_OUTSIDE_FIXED, size, set, set, first, set,
				    last);
	if (!restart_cures(request, member))
		return verdict_deny(verdict, "its ordinal", found, DENY_OUTSIDE_TOO_LARGE, size, set, set, first, set,
				    last, TFCONFIG_MAX);
	return verdict_deny(verdict, "its ordinal", found, DENY_OUTSIDE_FOLLOWING, size, set, set, first, set, last,
			    request->namespace, set);
}

/* Finds the pod in the group. */
static int find_task(const struct request *request, struct member *member, struct verdict *verdict)
{
	const struct group *group = &member->stamp.group;
	const struct group_entry *entry = group_entry_of(group, member->set);
	const char *subdomain = json_get_string(member->spec, "subdomain");

	if (!entry)
		return verdict_deny(verdict, STAMP_FIELD, "of another StatefulSet", DENY_SET_NOT_IN_GROUP, member->set,
				    request->namespace, member->set);
	if (!subdomain || strcmp(subdomain, entry->service) != 0)
		return verdict_deny(verdict, "spec.subdomain",
				    subdomain ? verdict_quote(verdict, subdomain) : "missing", DENY_SUBDOMAIN,
				    entry->service, member->set, request->namespace, member->set);
	if (!group_find(group, member->set, member->ordinal, &member->task))
		return deny_outside(request, member, entry->first_ordinal, verdict);
	return 0;
}

/*
 * Adds the init container that waits. One of this name is ours, from an earlier review: others may have added to it,
 * and it stays where it is, with the value.
 */
static void add_wait(const cJSON *spec, const char *image, const char *value, struct verdict *verdict)
{
	struct container_walk walk;

	container_walk_all(&walk, spec);
	while (container_walk_next(&walk) && walk.init) {
		if (strcmp(container_name(walk.container), WAIT_CONTAINER) == 0) {
			inject_variable(walk.container, container_walk_path(&walk, verdict, "/spec"), value, true,
					verdict);
			return;
		}
	}
	wait_container_add(spec, image, value, verdict);
}

static void patch_pod(const struct member *member, const char *value, const char *wait_image, struct verdict *verdict)
{
	struct container_walk walk;

	container_walk_targets(&walk, member->spec, &member->stamp.containers);
	while (container_walk_next(&walk))
		inject_variable(walk.container, container_walk_path(&walk, verdict, "/spec"), value,
				member->stamp.overwrite, verdict);
	if (member->stamp.wait)
		add_wait(member->spec, wait_image, value, verdict);
	patch_set_string(verdict, "/metadata/labels", member->labels, ROLE_LABEL, role_name(member->task.role));
	patch_set_string(verdict, "/metadata/labels", member->labels, INDEX_LABEL,
			 verdict_number(verdict, member->task.index));
}

static int check_wait(const struct member *member, const struct review_config *config, struct verdict *verdict)
{
	if (!member->stamp.wait || config->wait_image)
		return 0;
	return verdict_deny(verdict, "annotation " WAIT_KEY " of its StatefulSet", "\"true\"", DENY_WAIT_NO_IMAGE);
}

static int check_value(const struct request *request, const struct member *member, struct verdict *verdict)
{
	const struct stamp *stamp = &member->stamp;
	size_t size = tfconfig_size(stamp, request->namespace, member->task);

	if (size > TFCONFIG_MAX)
		return verdict_deny(verdict, STAMP_FIELD, "too large", DENY_TOO_LARGE, size, TFCONFIG_MAX,
				    tfconfig_largest_group(stamp, request->namespace));
	return containers_check(member->spec, &stamp->containers, verdict,
				"annotation " CONTAINERS_KEY " of its StatefulSet", NULL);
}

void admit_pod(const struct request *request, const struct review_config *config, struct verdict *verdict)
{
	const cJSON *metadata = json_get_object(request->object, "metadata");
	struct member member = {
		.metadata = metadata,
		.spec = json_get_object(request->object, "spec"),
		.labels = json_get_object(metadata, "labels"),
	};
	const cJSON *owner = controller_of(metadata);
	const char *value;

	if (!is_ours(metadata))
		return;
	if (!owner) {
		verdict_warn(verdict, WARN_NO_OWNER);
		return;
	}
	if (read_owner(owner, &member, verdict) < 0 || read_stamp(request, &member, verdict) < 0 ||
	    member.kind->read_ordinal(request, member.set, verdict, &member.ordinal) < 0 ||
	    find_task(request, &member, verdict) < 0 || check_value(request, &member, verdict) < 0 ||
	    check_wait(&member, config, verdict) < 0)
		return;
	value = tfconfig_render(verdict->arena, &member.stamp, request->namespace, member.task);
	if (!value)
		return; /* the arena is full, which fails the review as a whole */
	patch_pod(&member, value, config->wait_image, verdict);
	verdict->role = role_name(member.task.role);
	verdict->index = member.task.index;
	verdict->size = group_size(&member.stamp.group);
}
