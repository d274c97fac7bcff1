#include "core/set.h"

#include <limits.h>
#include <string.h>

#include "base/json.h"
#include "core/annotations.h"

struct set set_of(const cJSON *object)
{
	const cJSON *spec = json_get_object(object, "spec");
	const cJSON *template = json_get_object(spec, "template");
	const cJSON *metadata = json_get_object(template, "metadata");
	struct set set = {
		.metadata = json_get_object(object, "metadata"),
		.spec = spec,
		.template = template,
		.pod_spec = json_get_object(template, "spec"),
		.labels = json_get_object(metadata, "labels"),
		.annotations = json_get_object(metadata, "annotations"),
	};

	set.label = json_get_string(set.labels, INJECT_KEY);
	set.stamp = json_get_string(set.annotations, GROUP_KEY);
	return set;
}

bool set_replicas(const struct set *set, unsigned *ret_replicas)
{
	return json_get_unsigned(set->spec, "replicas", 1, INT_MAX, ret_replicas);
}

bool set_start(const struct set *set, unsigned *ret_start)
{
	return json_get_unsigned(json_get_object(set->spec, "ordinals"), "start", 0, INT_MAX, ret_start);
}

bool set_says(const struct set *set, const char *key, const char *value)
{
	const char *own = json_get_string(json_get_object(set->metadata, "annotations"), key);
	const char *template = json_get_string(set->annotations, key);

	return (own && strcmp(own, value) == 0) || (template && strcmp(template, value) == 0);
}

bool set_is_ordered(const struct set *set)
{
	const char *policy = json_get_string(set->spec, "podManagementPolicy");

	return !policy || strcmp(policy, "OrderedReady") == 0;
}

bool set_rolls(const struct set *set)
{
	const cJSON *strategy = json_get_object(set->spec, "updateStrategy");
	const char *type = json_get_string(strategy, "type");
	unsigned partition;

	return (!type || strcmp(type, "OnDelete") != 0) &&
	       json_get_unsigned(json_get_object(strategy, "rollingUpdate"), "partition", 0, INT_MAX, &partition) &&
	       partition == 0;
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

static bool is_ours(const char *name)
{
	return strncmp(name, ANNOTATION_PREFIX, strlen(ANNOTATION_PREFIX)) == 0;
}

static bool skip_others(const char *name)
{
	return !is_ours(name);
}

bool set_template_equal(const struct set *a, const struct set *b)
{
	return json_members_equal(a->template, b->template, skip_metadata) &&
	       json_members_equal(json_get_object(a->template, "metadata"), json_get_object(b->template, "metadata"),
				  skip_labels_and_annotations) &&
	       json_members_equal(a->labels, b->labels, skip_label) &&
	       json_members_equal(a->annotations, b->annotations, skip_stamp);
}

static bool numbers_equal(const struct set *a, const struct set *b)
{
	unsigned replicas[2];
	unsigned start[2];

	return set_replicas(a, &replicas[0]) && set_replicas(b, &replicas[1]) && set_start(a, &start[0]) &&
	       set_start(b, &start[1]) && replicas[0] == replicas[1] && start[0] == start[1];
}

static bool services_equal(const struct set *a, const struct set *b)
{
	const char *one = json_get_string(a->spec, "serviceName");
	const char *other = json_get_string(b->spec, "serviceName");

	return strcmp(one ? one : "", other ? other : "") == 0;
}

bool set_group_untouched(const struct set *set, const struct set *old)
{
	return numbers_equal(set, old) && services_equal(set, old) && set_template_equal(set, old) &&
	       json_members_equal(json_get_object(set->metadata, "annotations"),
				  json_get_object(old->metadata, "annotations"), skip_others);
}

const char *set_selected_label(const struct set *set)
{
	const cJSON *selector = json_get_object(set->spec, "selector");
	const cJSON *item;

	cJSON_ArrayForEach (item, json_get_object(selector, "matchLabels")) {
		if (is_ours(item->string))
			return item->string;
	}
	cJSON_ArrayForEach (item, json_get_array(selector, "matchExpressions")) {
		const char *key = json_get_string(item, "key");

		if (key && is_ours(key))
			return key;
	}
	return NULL;
}
