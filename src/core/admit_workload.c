/* SPDX-License-Identifier: Apache-2.0 */
#include "core/admit_workload.h"

#include "base/json.h"
#include "core/advice.h"
#include "core/cluster_advice.h"
#include "core/compile.h"
#include "core/keys.h"
#include "core/messages.h"
#include "core/patch.h"

#define TEMPLATE_PATH "/spec/template"

/* The workload under review, and what stage 1 makes of it. */
struct admission {
	const struct request *request;
	struct related_list *related;   /* NULL: nothing will be looked up */
	struct compilation compilation; /* its `old` is empty but for an UPDATE */
};

/* Sets both stamps; NULL: removes it. */
static void put_stamps(const struct workload *workload, const char *label, const char *stamp, struct verdict *verdict)
{
	if (!workload_takes_stamps(workload))
		return; /* the API server denies it */
	if (label || stamp)
		patch_ensure_object(verdict, TEMPLATE_PATH "/metadata", json_get(workload->template, "metadata"));
	patch_set_string(verdict, TEMPLATE_PATH "/metadata/labels", workload->labels, INJECT_KEY, label);
	patch_set_string(verdict, TEMPLATE_PATH "/metadata/annotations", workload->annotations, GROUP_KEY, stamp);
}

static void advise(const struct admission *admission, struct verdict *verdict)
{
	advice_give(&admission->compilation, verdict);
	if (admission->related)
		cluster_advice_give(&admission->compilation, admission->related, verdict);
}

/* Nothing that a group is made of has changed: the old stamps are restored, and the update is never denied. */
static void restore_stamps(struct admission *admission, struct verdict *verdict)
{
	struct compilation *compilation = &admission->compilation;
	struct verdict unheard = {.arena = verdict->arena, .object = verdict->object};

	put_stamps(&compilation->workload, compilation->old.label, compilation->old.stamp, verdict);
	if (annotations_read(admission->request->object, &unheard, &compilation->annotations) == 0 &&
	    compilation->annotations.inject == INJECT_TRUE && compile(compilation, &unheard) == 0)
		advise(admission, verdict);
}

/* It has not opted in, so it carries no stamps. */
static void opt_out(struct admission *admission, struct verdict *verdict)
{
	struct compilation *compilation = &admission->compilation;
	const struct workload *workload = &compilation->workload;
	const struct workload *old = &compilation->old;
	const struct annotations *annotations = &compilation->annotations;

	if (annotations->cluster && compile_written_group(compilation, verdict) < 0)
		return;
	if (admission->request->operation == OPERATION_CREATE && annotations->inject == INJECT_UNSET &&
	    workload->label) {
		verdict_deny(verdict, "label " INJECT_KEY " of the pod template",
			     verdict_quote(verdict, workload->label), DENY_LABEL_ALONE);
		return;
	}
	if (workload->label && compile_check_selector(workload, verdict) < 0)
		return;
	put_stamps(workload, NULL, NULL, verdict);
	if (workload->label || workload->stamp || old->label || old->stamp)
		verdict_warn(verdict, WARN_STAMPS_REMOVED);
	if (annotations->others && annotations->inject == INJECT_UNSET)
		verdict_warn(verdict, WARN_NOT_INJECTED);
}

static void opt_in(struct admission *admission, struct verdict *verdict)
{
	struct compilation *compilation = &admission->compilation;
	const char *stamp = compilation->old.stamp; /* kept while there are no pods */

	if (compile(compilation, verdict) < 0)
		return;
	if (compilation->size > 0)
		stamp = compilation->kept_text ? compilation->kept_text
					       : stamp_encode(verdict->arena, &compilation->stamp);
	put_stamps(&compilation->workload, "true", stamp, verdict);
	advise(admission, verdict);
}

void admit_workload(const struct workload_kind *kind, const struct request *request, const struct review_config *config,
		    struct related_list *related, struct verdict *verdict)
{
	const cJSON *old_object = request->operation == OPERATION_UPDATE ? request->old_object : NULL;
	struct admission admission = {
		.request = request,
		.related = related,
		.compilation = {.name = request->name,
				.namespace = request->namespace,
				.config = config,
				.workload = workload_of(kind, request->object),
				.old = workload_of(kind, old_object)},
	};
	struct compilation *compilation = &admission.compilation;

	if (json_get_string(compilation->workload.metadata, "deletionTimestamp"))
		return;
	if (old_object && workload_group_untouched(&compilation->workload, &compilation->old)) {
		restore_stamps(&admission, verdict);
		return;
	}
	if (annotations_read(request->object, verdict, &compilation->annotations) < 0)
		return;
	if (compilation->annotations.inject == INJECT_TRUE)
		opt_in(&admission, verdict);
	else
		opt_out(&admission, verdict);
}
