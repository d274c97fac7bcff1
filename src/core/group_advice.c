/* SPDX-License-Identifier: Apache-2.0 */
#include "core/group_advice.h"

#include <string.h>

#include "base/json.h"
#include "core/annotations.h"
#include "core/keys.h"
#include "core/messages.h"

/* What the other set says about the group. */
struct other {
	const char *name;
	const char *service;
	unsigned replicas;
	unsigned start;
	struct annotations annotations;
};

/* False where stage 1 would deny the set, or it has no name. */
static bool read_other(const struct workload_kind *kind, const cJSON *object, struct arena *arena, struct other *other)
{
	struct verdict unheard = {.arena = arena, .object = ""};
	struct workload workload = workload_of(kind, object);

	other->name = json_get_string(workload.metadata, "name");
	other->service = kind->service(&workload);
	return other->name && other->service &&
	       kind->read_size(&workload, &unheard, &other->replicas, &other->start) == 0 &&
	       annotations_read(object, &unheard, &other->annotations) == 0;
}

/* How many pods of the set a written group counts; its entries may name none. */
static unsigned counted(const struct group *group, const char *set)
{
	unsigned count = 0;

	for (size_t i = 0; i < group->len; i++) {
		if (group->entries[i].set && strcmp(group->entries[i].set, set) == 0)
			count += group->entries[i].count;
	}
	return count;
}

/* True where the other set's annotation yields the same group. Its replicas are checked elsewhere. */
static bool says_the_same(const struct stamp *stamp, const struct other *other, struct arena *arena)
{
	struct group_owner owner = {.set = other->name, .service = other->service, .first_ordinal = other->start};
	struct group group;
	bool follows;

	if (!other->annotations.cluster || group_parse(arena, other->annotations.cluster, &group, NULL) < 0)
		return false;
	owner.replicas = counted(&group, other->name);
	return group_resolve(&group, &owner, &follows, NULL) == 0 && group_equal(&group, &stamp->group);
}

/* The first annotation that must be the same for all pods of the group, and is not. NULL: none. */
static const char *different_annotation(const struct stamp *stamp, const struct annotations *annotations)
{
	if (annotations->port_name || annotations->port != stamp->port)
		return PORT_KEY;
	if (annotations->address != stamp->address)
		return ADDRESS_KEY;
	if (annotations->sparse != stamp->sparse)
		return SPARSE_KEY;
	if (annotations->grpc != stamp->grpc)
		return RPC_LAYER_KEY;
	return NULL;
}

void group_advice_give(const struct stamp *stamp, const struct workload_kind *kind, const cJSON *object,
		       struct verdict *verdict)
{
	const struct group_entry *entry;
	struct other other;
	const char *setting;
	unsigned count;

	if (!read_other(kind, object, verdict->arena, &other))
		return;
	entry = group_entry_of(&stamp->group, other.name);
	if (!entry)
		return;
	if (other.annotations.inject != INJECT_TRUE) {
		verdict_warn(verdict, WARN_OTHER_NOT_INJECTED, other.name);
		return;
	}
	count = group_set_size(&stamp->group, other.name);
	if (count != other.replicas)
		verdict_warn(verdict, WARN_OTHER_REPLICAS, count, other.replicas, other.name);
	if (strcmp(entry->service, other.service) != 0)
		verdict_warn(verdict, WARN_OTHER_SERVICE, entry->service, other.service, other.name);
	else if (!says_the_same(stamp, &other, verdict->arena))
		verdict_warn(verdict, WARN_OTHER_GROUP, other.name);
	setting = different_annotation(stamp, &other.annotations);
	if (setting)
		verdict_warn(verdict, WARN_OTHER_SETTING, setting, other.name);
}
