/* SPDX-License-Identifier: Apache-2.0 */
#include "render/report.h"

#include <string.h>

#include "base/json.h"
#include "core/annotations.h"
#include "core/group_advice.h"
#include "core/messages.h"
#include "core/service_advice.h"
#include "core/statefulset.h"
#include "render/pod.h"

/* A set under examination, and its report. */
struct subject {
	struct arena *arena;
	struct manifests *manifests;
	const struct manifest *manifest;
	struct workload set; /* with its stamps */
	struct set_report *report;
};

static int fail_for_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "it needs more memory than one review may use");
}

/*
 * Advice on related objects comes from the manifests, not by way of review_answer_with: that asks for at most
 * RELATED_MAX objects, and here every set of the group is compared or gets a note.
 */

/* Advice on the set's Service, if it is among the manifests. */
static void check_service(struct subject *subject, struct verdict *verdict)
{
	const struct manifest *manifest = subject->manifest;
	const char *name = statefulset_kind.service(&subject->set);
	const struct manifest *service = manifests_find(&subject->manifests->services, manifest->namespace, name);

	if (service)
		service_advice_give(&subject->set, name, service->object, verdict);
	else
		notes_add(subject->manifests->notes, "%s: Service %s/%s is not in the input, so it was not checked",
			  verdict->object, manifest->namespace, name);
}

/* Advice on the other sets of the group, if they are among the manifests. */
static void check_others(struct subject *subject, struct verdict *verdict)
{
	const struct manifest *manifest = subject->manifest;
	const struct group *group = &subject->report->stamp.group;

	for (size_t i = 0; i < group->len; i++) {
		const char *name = group->entries[i].set;
		const struct manifest *other;

		if (strcmp(name, manifest->name) == 0 || !group_entry_is_first_of_set(group, i))
			continue;
		other = manifests_find(&subject->manifests->sets, manifest->namespace, name);
		if (other)
			group_advice_give(&subject->report->stamp, &statefulset_kind, other->object, verdict);
		else
			notes_add(subject->manifests->notes,
				  "%s: StatefulSet %s/%s of its group is not in the input, so it was not compared",
				  verdict->object, manifest->namespace, name);
	}
}

/* All warnings, in the order in which the webhook would return them. */
static cJSON *join_warnings(const cJSON *of_stage, const cJSON *of_others)
{
	cJSON *all = cJSON_CreateArray();
	const cJSON *const lists[] = {of_stage, of_others};
	const cJSON *warning;

	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		cJSON_ArrayForEach (warning, lists[i]) {
			cJSON_AddItemToArray(all, cJSON_CreateString(warning->valuestring));
		}
	}
	return all;
}

/* Fills in the size, the group and the advice of a set that opted in. */
static int read_group(struct subject *subject, struct verdict *verdict, struct error *err)
{
	struct set_report *report = subject->report;
	int version;

	if (statefulset_kind.read_size(&subject->set, verdict, &report->replicas, &report->first) < 0)
		return fail_for_memory(err);
	check_service(subject, verdict);
	if (!subject->set.stamp)
		return 0;
	if (stamp_decode(subject->arena, subject->set.stamp, &report->stamp, &version, err) < 0)
		return -1;
	report->has_group = true;
	check_others(subject, verdict);
	return 0;
}

static int fill_report(struct subject *subject, const struct examination *stage, struct error *err)
{
	struct set_report *report = subject->report;
	struct verdict verdict = {.arena = subject->arena};

	subject->set = workload_of(&statefulset_kind, stage->object);
	verdict.object = arena_printf(subject->arena, "StatefulSet %s", subject->manifest->title);
	if (!verdict.object)
		return fail_for_memory(err);
	report->denial = stage->denial;
	report->object = stage->object;
	report->injected = !stage->denial && subject->set.label && strcmp(subject->set.label, "true") == 0;
	if (report->injected && read_group(subject, &verdict, err) < 0)
		return -1;
	report->warnings = join_warnings(stage->warnings, verdict.warnings);
	report->concerned = report->denial || report->injected || report->warnings->child;
	return subject->arena->state == ARENA_OK ? 0 : fail_for_memory(err);
}

int report_set(struct examiner *examiner, const struct review_config *config, struct manifests *manifests,
	       const struct manifest *manifest, struct set_report *ret_report, struct error *err)
{
	struct set_report report = {.manifest = manifest};
	struct subject subject = {
		.arena = &examiner->answer, .manifests = manifests, .manifest = manifest, .report = &report};
	struct arena *before = arena_enter(&examiner->question);
	cJSON *object = cJSON_Duplicate(manifest->object, true);
	struct examination stage;
	int result = -1;

	if (!object)
		fail_for_memory(err);
	else if (examine(examiner, config, manifest->namespace, object, &stage, err) == 0) {
		arena_enter(&examiner->answer);
		result = fill_report(&subject, &stage, err);
	}
	arena_enter(before);
	if (result < 0)
		return error_prefix(err, "%s:%u: StatefulSet %s", manifest->file, manifest->line, manifest->title);
	*ret_report = report;
	return 0;
}

int report_pod(struct examiner *examiner, const struct review_config *config, const struct set_report *set,
	       unsigned ordinal, struct pod_report *ret_report, struct error *err)
{
	struct arena *before = arena_enter(&examiner->question);
	const char *namespace = set->manifest->namespace;
	cJSON *object = pod_make(&examiner->question, set->object, namespace, ordinal);
	const cJSON *metadata;
	struct examination stage;

	arena_enter(before);
	if (!object)
		return fail_for_memory(err);
	if (examine(examiner, config, namespace, object, &stage, err) < 0)
		return error_prefix(err, "pod %u of StatefulSet %s", ordinal, set->manifest->title);
	metadata = json_get_object(stage.object, "metadata");
	*ret_report = (struct pod_report){
		.name = json_get_string(metadata, "name"),
		.denial = stage.denial,
		.role = stage.denial ? NULL : stage.role,
		.index = stage.index,
		.tf_config = pod_tf_config(stage.object, stage.patch, &set->stamp.containers),
		.labels = json_get_object(metadata, "labels"),
	};
	return 0;
}
