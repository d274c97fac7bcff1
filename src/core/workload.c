/* SPDX-License-Identifier: Apache-2.0 */
#include "core/workload.h"

#include <string.h>

#include "base/json.h"
#include "core/keys.h"

struct workload workload_of(const struct workload_kind *kind, const cJSON *object)
{
	const cJSON *spec = json_get_object(object, "spec");
	const cJSON *template = json_get_object(spec, "template");
	const cJSON *metadata = json_get_object(template, "metadata");
	struct workload workload = {
		.kind = kind,
		.metadata = json_get_object(object, "metadata"),
		.spec = spec,
		.template = template,
		.pod_spec = json_get_object(template, "spec"),
		.labels = json_get_object(metadata, "labels"),
		.annotations = json_get_object(metadata, "annotations"),
	};

	workload.label = json_get_string(workload.labels, INJECT_KEY);
	workload.stamp = json_get_string(workload.annotations, GROUP_KEY);
	return workload;
}

bool workload_says(const struct workload *workload, const char *key, const char *value)
{
	const char *own = json_get_string(json_get_object(workload->metadata, "annotations"), key);
	const char *template = json_get_string(workload->annotations, key);

	return (own && strcmp(own, value) == 0) || (template && strcmp(template, value) == 0);
}

bool workload_takes_stamps(const struct workload *workload)
{
	const cJSON *metadata = json_get(workload->template, "metadata");

	return workload->template && (!metadata || cJSON_IsNull(metadata) || cJSON_IsObject(metadata));
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

bool workload_template_equal(const struct workload *a, const struct workload *b)
{
	return json_members_equal(a->template, b->template, skip_metadata) &&
	       json_members_equal(json_get_object(a->template, "metadata"), json_get_object(b->template, "metadata"),
				  skip_labels_and_annotations) &&
	       json_members_equal(a->labels, b->labels, skip_label) &&
	       json_members_equal(a->annotations, b->annotations, skip_stamp);
}

bool workload_group_untouched(const struct workload *workload, const struct workload *old)
{
	return workload->kind->is_same_shape(workload, old) && workload_template_equal(workload, old) &&
	       json_members_equal(json_get_object(workload->metadata, "annotations"),
				  json_get_object(old->metadata, "annotations"), skip_others);
}

const char *workload_selected_label(const struct workload *workload)
{
	const cJSON *selector = json_get_object(workload->spec, "selector");
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
