/* SPDX-License-Identifier: Apache-2.0 */
#include "core/statefulset.h"

#include <limits.h>
#include <string.h>

#include "base/json.h"
#include "base/names.h"
#include "core/keys.h"
#include "core/messages.h"

enum { NAME_MAX_OF_CONTROLLER = 52 }; /* its label <name>-<hash> must fit into 63 characters */

static bool get_replicas(const struct workload *set, unsigned *ret_replicas)
{
	return json_get_unsigned(set->spec, "replicas", 1, INT_MAX, ret_replicas);
}

static bool get_start(const struct workload *set, unsigned *ret_start)
{
	return json_get_unsigned(json_get_object(set->spec, "ordinals"), "start", 0, INT_MAX, ret_start);
}

static int read_size(const struct workload *set, struct verdict *verdict, unsigned *ret_size, unsigned *ret_first)
{
	unsigned replicas, start;

	if (!get_replicas(set, &replicas))
		return verdict_deny(verdict, "spec.replicas", verdict_value(verdict, json_get(set->spec, "replicas")),
				    DENY_NUMBER, (unsigned)INT_MAX);
	if (!get_start(set, &start))
		return verdict_deny(verdict, "spec.ordinals.start",
				    verdict_value(verdict, json_get(json_get_object(set->spec, "ordinals"), "start")),
				    DENY_NUMBER, (unsigned)INT_MAX);
	if (start > INT_MAX - replicas)
		return verdict_deny(verdict, "spec.ordinals.start", verdict_number(verdict, start), DENY_ORDINALS,
				    replicas, (unsigned)INT_MAX);
	*ret_size = replicas;
	*ret_first = start;
	return 0;
}

static const char *service(const struct workload *set)
{
	return json_get_string(set->spec, "serviceName");
}

static bool is_same_shape(const struct workload *a, const struct workload *b)
{
	const char *services[] = {service(a), service(b)};
	unsigned replicas[2];
	unsigned start[2];

	return get_replicas(a, &replicas[0]) && get_replicas(b, &replicas[1]) && get_start(a, &start[0]) &&
	       get_start(b, &start[1]) && replicas[0] == replicas[1] && start[0] == start[1] &&
	       strcmp(services[0] ? services[0] : "", services[1] ? services[1] : "") == 0;
}

/* spec.podManagementPolicy, which is so by default. */
static bool is_ordered(const struct workload *set)
{
	const char *policy = json_get_string(set->spec, "podManagementPolicy");

	return !policy || strcmp(policy, "OrderedReady") == 0;
}

/* spec.updateStrategy, and the pods that its partition keeps; false where that is not a number. */
static bool get_strategy(const struct workload *set, bool *ret_on_delete, unsigned *ret_partition)
{
	const cJSON *strategy = json_get_object(set->spec, "updateStrategy");
	const char *type = json_get_string(strategy, "type");

	*ret_on_delete = type && strcmp(type, "OnDelete") == 0;
	return json_get_unsigned(json_get_object(strategy, "rollingUpdate"), "partition", 0, INT_MAX, ret_partition);
}

static bool rolls(const struct workload *set)
{
	unsigned partition;
	bool on_delete;

	return get_strategy(set, &on_delete, &partition) && !on_delete && partition == 0;
}

static void advise_on_names(const char *name, unsigned size, unsigned first, struct verdict *verdict)
{
	unsigned highest = first + (size ? size - 1 : 0);
	const char *pod = arena_printf(verdict->arena, "%s-%u", name, highest);

	if (strlen(name) > NAME_MAX_OF_CONTROLLER)
		verdict_warn(verdict, WARN_LONG_NAME);
	if (pod && strlen(pod) > DNS_LABEL_MAX)
		verdict_warn(verdict, WARN_LONG_POD_NAME, highest);
}

static void advise_on_rollout(const struct workload *set, struct verdict *verdict)
{
	unsigned partition;
	bool on_delete;
	const bool has_partition = get_strategy(set, &on_delete, &partition) && partition > 0;

	if (is_ordered(set))
		verdict_warn(verdict, WARN_ORDERED_READY);
	if (on_delete)
		verdict_warn(verdict, WARN_ON_DELETE);
	if (has_partition)
		verdict_warn(verdict, WARN_PARTITION, partition);
}

bool statefulset_parse_ordinal(const char *pod, const char *owner, unsigned *ret_ordinal)
{
	size_t len = strlen(owner);

	if (strncmp(pod, owner, len) != 0 || pod[len] != '-')
		return false;
	return name_parse_decimal(pod + len + 1, INT_MAX, ret_ordinal);
}

static int read_ordinal(const struct request *pod, const char *owner, struct verdict *verdict, unsigned *ret_ordinal)
{
	const cJSON *metadata = json_get_object(pod->object, "metadata");
	const char *label = json_get_string(json_get_object(metadata, "labels"), POD_INDEX_LABEL);
	unsigned ordinal, number;

	if (!statefulset_parse_ordinal(pod->name, owner, &ordinal))
		return verdict_deny(verdict, "metadata.name", verdict_quote(verdict, pod->name), DENY_POD_NAME, owner);
	if (label && (!name_parse_decimal(label, ordinal, &number) || number != ordinal))
		return verdict_deny(verdict, "label " POD_INDEX_LABEL, verdict_quote(verdict, label), DENY_POD_INDEX,
				    ordinal);
	*ret_ordinal = ordinal;
	return 0;
}

const struct workload_kind statefulset_kind = {
	.name = "StatefulSet",
	.group = "apps",
	.resource = "statefulsets",
	.size_field = "spec.replicas",
	.service_field = "spec.serviceName",
	.read_size = read_size,
	.service = service,
	.is_same_shape = is_same_shape,
	.is_ordered = is_ordered,
	.rolls = rolls,
	.advise_on_names = advise_on_names,
	.advise_on_rollout = advise_on_rollout,
	.read_ordinal = read_ordinal,
};
