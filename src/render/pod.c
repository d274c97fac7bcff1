/* SPDX-License-Identifier: Apache-2.0 */
#include "render/pod.h"

#include "base/json.h"
#include "core/containers.h"
#include "core/env.h"
#include "core/keys.h"

static void add_copy(cJSON *object, const char *name, const cJSON *item)
{
	if (item)
		json_add(object, name, cJSON_Duplicate(item, true));
}

static cJSON *copy_object(const cJSON *object)
{
	return cJSON_IsObject(object) ? cJSON_Duplicate(object, true) : cJSON_CreateObject();
}

static void set_string(cJSON *object, const char *name, const char *value)
{
	cJSON_DeleteItemFromObjectCaseSensitive(object, name);
	json_add_string(object, name, value);
}

static cJSON *labels_of(struct arena *arena, const cJSON *template, const char *name, unsigned ordinal)
{
	cJSON *labels = copy_object(json_get(template, "labels"));

	set_string(labels, POD_INDEX_LABEL, arena_printf(arena, "%u", ordinal));
	set_string(labels, "statefulset.kubernetes.io/pod-name", name);
	return labels;
}

static cJSON *owners_of(const char *set)
{
	cJSON *owner = cJSON_CreateObject();
	cJSON *owners = cJSON_CreateArray();

	json_add_string(owner, "apiVersion", "apps/v1");
	json_add_string(owner, "kind", "StatefulSet");
	json_add_string(owner, "name", set);
	json_add(owner, "controller", cJSON_CreateTrue());
	cJSON_AddItemToArray(owners, owner);
	return owners;
}

cJSON *pod_make(struct arena *arena, const cJSON *set, const char *namespace, unsigned ordinal)
{
	const cJSON *set_spec = json_get_object(set, "spec");
	const cJSON *template = json_get_object(set_spec, "template");
	const cJSON *of_template = json_get_object(template, "metadata");
	const char *set_name = json_get_string(json_get_object(set, "metadata"), "name");
	const char *name = arena_printf(arena, "%s-%u", set_name ? set_name : "", ordinal);
	cJSON *metadata = cJSON_CreateObject();
	cJSON *spec = copy_object(json_get(template, "spec"));
	cJSON *pod = cJSON_CreateObject();

	json_add_string(pod, "apiVersion", "v1");
	json_add_string(pod, "kind", "Pod");
	json_add(pod, "metadata", metadata);
	json_add_string(metadata, "name", name);
	json_add_string(metadata, "namespace", namespace);
	json_add(metadata, "labels", labels_of(arena, of_template, name, ordinal));
	add_copy(metadata, "annotations", json_get(of_template, "annotations"));
	add_copy(metadata, "finalizers", json_get(of_template, "finalizers"));
	json_add(metadata, "ownerReferences", owners_of(set_name));
	set_string(spec, "hostname", name);
	set_string(spec, "subdomain", json_get_string(set_spec, "serviceName"));
	json_add(pod, "spec", spec);
	return pod;
}

/* The variable's value if a patch operation writes it: as an entry, or as a list that starts with it. */
static const char *written_value(const cJSON *value)
{
	const cJSON *entry = cJSON_IsArray(value) ? value->child : value;

	return env_entry_is(entry, VARIABLE) ? json_get_string(entry, "value") : NULL;
}

const char *pod_tf_config(const cJSON *pod, const cJSON *patch, const struct container_list *containers)
{
	const cJSON *operation;
	struct container_walk walk;

	cJSON_ArrayForEach (operation, patch) {
		const char *value = written_value(json_get(operation, "value"));

		if (value)
			return value;
	}
	container_walk_targets(&walk, json_get_object(pod, "spec"), containers);
	while (container_walk_next(&walk)) {
		const cJSON *entry = env_find(walk.container, VARIABLE);

		if (entry)
			return json_get_string(entry, "value");
	}
	return NULL;
}
