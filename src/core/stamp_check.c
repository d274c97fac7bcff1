/* SPDX-License-Identifier: Apache-2.0 */
#include "core/stamp_check.h"

#include <string.h>

#include "base/json.h"
#include "core/compile.h"
#include "core/keys.h"

/* A stamp of a version that this build does not read may say the same: replicas of two versions run side by side. */
static bool is_of_another_version(const struct workload *workload, struct arena *arena, unsigned *ret_size)
{
	struct stamp stamp;
	int version = 0;

	if (!workload->stamp)
		return false;
	if (stamp_decode(arena, workload->stamp, &stamp, &version, NULL) < 0)
		return version != 0 && version != STAMP_VERSION;
	*ret_size = group_size(&stamp.group);
	return false;
}

static bool has_label(const struct workload *workload)
{
	return workload->label && strcmp(workload->label, "true") == 0;
}

void stamp_check(const struct workload_kind *kind, const cJSON *object, const struct review_config *config,
		 struct arena *arena, struct stamp_check *ret_check)
{
	const cJSON *metadata = json_get_object(object, "metadata");
	const char *name = json_get_string(metadata, "name");
	const char *namespace = json_get_string(metadata, "namespace");
	struct compilation compilation = {.name = name ? name : "",
					  .namespace = namespace ? namespace : "",
					  .config = config,
					  .workload = workload_of(kind, object),
					  .old = workload_of(kind, object)}; /* a stamp that says the same is kept */
	const struct workload *workload = &compilation.workload;
	struct verdict verdict = {
		.arena = arena,
		.object = arena_printf(arena, "%s %s/%s", kind->name, compilation.namespace, compilation.name)};

	*ret_check = (struct stamp_check){.service = kind->service(workload), .rolls = kind->rolls(workload)};
	if (json_get_string(metadata, "deletionTimestamp") || !workload_says(workload, INJECT_KEY, "true"))
		return;
	if (annotations_read(object, &verdict, &compilation.annotations) < 0 || compile(&compilation, &verdict) < 0) {
		ret_check->state = STAMP_DENIED;
		ret_check->denial = verdict.denial;
		return;
	}
	ret_check->state = STAMP_CURRENT;
	ret_check->restarts = !compilation.annotations.scale_denied;
	if (compilation.size == 0)
		return;
	ret_check->size = group_size(&compilation.stamp.group);
	if (!is_of_another_version(workload, arena, &ret_check->was) && !(compilation.kept_text && has_label(workload)))
		ret_check->state = STAMP_STALE;
}
