/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cluster_advice.h"

#include <string.h>

#include "base/json.h"
#include "core/group_advice.h"
#include "core/service_advice.h"

/* The object that was found, NULL where the text is none of this kind. */
static const cJSON *parse(const struct related *related, struct arena *arena)
{
	const cJSON *object = json_parse(arena, related->json, related->json_len, NULL);
	const char *kind = json_get_string(object, "kind");

	return kind && strcmp(kind, related_kind_name(related->kind)) == 0 ? object : NULL;
}

static void advise_on_service(const struct compilation *subject, struct related_list *related, struct verdict *verdict)
{
	const char *name = subject->workload.kind->service(&subject->workload);
	const struct related *service =
		related_want(related, verdict->arena, subject->namespace, RELATED_SERVICE, name ? name : "");
	const cJSON *object = NULL;

	if (!service || service->state == RELATED_UNKNOWN)
		return;
	if (service->state == RELATED_FOUND)
		object = parse(service, verdict->arena);
	if (object || service->state == RELATED_MISSING)
		service_advice_give(&subject->workload, name, object, verdict);
}

static void advise_on_others(const struct compilation *subject, struct related_list *related, struct verdict *verdict)
{
	const struct group *group = &subject->stamp.group;

	for (size_t i = 0; i < group->len; i++) {
		const char *name = group->entries[i].set;
		const struct related *other;
		const cJSON *object;

		if (strcmp(name, subject->name) == 0 || !group_entry_is_first_of_set(group, i))
			continue;
		other = related_want(related, verdict->arena, subject->namespace, RELATED_STATEFUL_SET, name);
		object = other && other->state == RELATED_FOUND ? parse(other, verdict->arena) : NULL;
		if (object)
			group_advice_give(&subject->stamp, subject->workload.kind, object, verdict);
	}
}

void cluster_advice_give(const struct compilation *subject, struct related_list *related, struct verdict *verdict)
{
	advise_on_service(subject, related, verdict);
	if (subject->size > 0)
		advise_on_others(subject, related, verdict);
}
