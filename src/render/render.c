/* SPDX-License-Identifier: Apache-2.0 */
#include "render/render.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "core/group.h"
#include "core/messages.h"
#include "render/print_data.h"
#include "render/print_env.h"
#include "render/print_graph.h"
#include "render/print_text.h"
#include "render/report.h"

enum { FIRST_BLOCK = 64 * 1024, GRAPHS_MAX = 16 * 1024 * 1024 };

/* For all input, which stays in memory, and in total: two examinations at a time need memory as well. */
static const size_t manifests_memory = (size_t)256 * 1024 * 1024;
static const size_t render_memory = (size_t)448 * 1024 * 1024;

/*
 * Manifests do not say whether the cluster's webhook knows its image, so it is assumed to. The name is never printed.
 */
static const char wait_image[] = "tfconfig-webhook";

static const struct printer *const printers[RENDER_FORMATS] = {
	[RENDER_TEXT] = &print_text,
	[RENDER_JSON] = &print_data_json,
	[RENDER_YAML] = &print_data_yaml,
	[RENDER_ENV] = &print_env,
};

/* All that a run holds. */
struct render {
	const struct render_options *options;
	struct review_config config;
	struct notes notes;
	struct budget budget;
	struct arena input;
	struct manifests manifests;
	struct examiner sets;
	struct examiner pods;
	struct print print;
	bool failed;        /* something was denied, or lacks what was asked for */
	unsigned concerned; /* sets that the webhook has something to do with, or to say about */
	unsigned shown;     /* pods that were printed */
	struct buf graphs;  /* the groups whose table was printed, each between line ends */
};

static void render_release(struct render *render)
{
	examiner_release(&render->pods);
	examiner_release(&render->sets);
	arena_release(&render->input);
	notes_release(&render->notes);
	buf_release(&render->graphs);
}

static int read_input(struct render *render, struct error *err)
{
	const struct render_options *options = render->options;
	struct budget *budget = &render->budget;

	if (arena_init(&render->input, FIRST_BLOCK, manifests_memory, budget) < 0)
		return error_set(err, ERROR_NO_MEMORY, MESSAGE_NO_MEMORY);
	if (examiner_init(&render->sets, budget, err) < 0 || examiner_init(&render->pods, budget, err) < 0)
		return -1;
	render->manifests.arena = &render->input;
	render->manifests.notes = &render->notes;
	render->manifests.namespace = options->namespace;
	for (size_t i = 0; i < options->file_count; i++) {
		if (manifests_read(&render->manifests, options->files[i], err) < 0)
			return -1;
	}
	return 0;
}

/* False after a write error, which is reported at the end. */
static bool may_write(const struct render *render)
{
	return !ferror(render->print.file);
}

static int render_pod(struct render *render, const struct set_report *set, unsigned ordinal, struct error *err)
{
	struct pod_report pod;

	if (report_pod(&render->pods, &render->config, set, ordinal, &pod, err) < 0)
		return -1;
	printers[render->options->format]->pod(&render->print, &pod);
	if (pod.denial || (render->options->format == RENDER_ENV && !pod.tf_config))
		render->failed = true;
	render->print.pods++;
	render->shown++;
	examiner_reset(&render->pods);
	return 0;
}

/* Where a person reads the output, the middle of a large group is left out. */
static int render_pods(struct render *render, const struct set_report *set, struct error *err)
{
	const struct render_options *options = render->options;
	bool elide = options->format == RENDER_TEXT && !options->all && set->replicas > 2 * PRINT_ENDS;

	for (unsigned i = 0; i < set->replicas && may_write(render); i++) {
		if (elide && i == PRINT_ENDS) {
			i = set->replicas - PRINT_ENDS;
			printers[options->format]->left_out(&render->print, i - PRINT_ENDS);
		}
		if (render_pod(render, set, set->first + i, err) < 0)
			return -1;
	}
	return 0;
}

static int render_one_pod(struct render *render, const struct set_report *set, struct error *err)
{
	unsigned pod = render->options->pod;

	if (pod >= set->first && pod - set->first < set->replicas)
		return render_pod(render, set, pod, err);
	if (set->replicas == 0)
		notes_add(&render->notes, "StatefulSet %s has no pod %u: it has no pods", set->manifest->title, pod);
	else
		notes_add(&render->notes, "StatefulSet %s has no pod %u: its pods are %u to %u", set->manifest->title,
			  pod, set->first, set->first + set->replicas - 1);
	return 0;
}

/* Sets of the same group share one table. */
static int render_graph(struct render *render, const struct set_report *set, struct error *err)
{
	const struct stamp *stamp = &set->stamp;
	struct arena *arena = &render->sets.answer;
	const char *group = group_format(arena, &stamp->group);
	const char *key = arena_printf(arena, "\n%s %u %u %u %s %u %s\n", set->manifest->namespace, stamp->start,
				       stamp->port, stamp->address, stamp->domain, stamp->sparse, group ? group : "");

	if (!group || !key)
		return error_set(err, ERROR_NO_MEMORY, MESSAGE_NO_MEMORY);
	if (strstr(buf_string(&render->graphs), key)) {
		fprintf(render->print.file, "Its group is the one above.\n");
		return 0;
	}
	buf_add_string(&render->graphs, key);
	print_graph(render->print.file, set, render->options->all);
	return 0;
}

static int render_group(struct render *render, const struct set_report *set, struct error *err)
{
	if (!set->has_group)
		return 0;
	if (render->options->graph)
		return render_graph(render, set, err);
	if (render->options->one_pod)
		return render_one_pod(render, set, err);
	return render_pods(render, set, err);
}

static int render_set(struct render *render, const struct manifest *manifest, struct error *err)
{
	const struct printer *printer = printers[render->options->format];
	struct set_report set;

	if (report_set(&render->sets, &render->config, &render->manifests, manifest, &set, err) < 0)
		return -1;
	if (set.concerned) {
		render->concerned++;
		render->failed = render->failed || set.denial;
		render->print.pods = 0;
		printer->begin(&render->print, &set);
		if (render_group(render, &set, err) < 0)
			return -1;
		if (printer->end)
			printer->end(&render->print);
		render->print.follows = true;
	}
	examiner_reset(&render->sets);
	return 0;
}

/* A shell variable has one value, so nothing is printed before it is certain that only one set is concerned. */
static int check_only_set(struct render *render, struct error *err)
{
	const struct manifest_list *sets = &render->manifests.sets;
	CLEANUP(notes_release) struct notes unused; /* render_set adds the same notes again */
	struct manifests manifests = render->manifests;
	const struct manifest *only = NULL;

	notes_init(&unused);
	manifests.notes = &unused;
	for (size_t i = 0; i < sets->len; i++) {
		struct set_report set;

		if (report_set(&render->sets, &render->config, &manifests, &sets->items[i], &set, err) < 0)
			return -1;
		if (set.concerned && only)
			return error_set(err, ERROR_USAGE,
					 "--output env is for one StatefulSet, but the input has several: %s, %s, ...",
					 only->title, sets->items[i].title);
		if (set.concerned)
			only = &sets->items[i];
		examiner_reset(&render->sets);
	}
	return only ? 0 : error_set(err, ERROR_INVALID, "no StatefulSet in the input opted in");
}

static int render_all(struct render *render, struct error *err)
{
	const struct render_options *options = render->options;
	const struct manifest_list *sets = &render->manifests.sets;

	if (options->format == RENDER_ENV && check_only_set(render, err) < 0)
		return -1;
	for (size_t i = 0; i < sets->len && may_write(render); i++) {
		if (render_set(render, &sets->items[i], err) < 0)
			return -1;
	}
	if (fflush(render->print.file) != 0 || ferror(render->print.file))
		return error_set(err, ERROR_SYSTEM, "stdout: %s", strerror(errno));
	if (render->concerned == 0)
		notes_add(&render->notes,
			  "nothing to check: no StatefulSet in the input has tfconfig.dev/ annotations");
	else if (options->one_pod && render->shown == 0 && !render->failed)
		return error_set(err, ERROR_USAGE, "--pod is %u: there is no such pod", options->pod);
	return 0;
}

int render_run(const struct render_options *options, FILE *file, bool *ret_failed, struct error *err)
{
	struct render render = {
		.options = options,
		.config = {.cluster_domain = options->cluster_domain, .wait_image = wait_image},
		.print = {.file = file, .whole = options->all || options->one_pod},
	};
	int result;

	notes_init(&render.notes);
	buf_init(&render.graphs, GRAPHS_MAX);
	budget_init(&render.budget, render_memory);
	result = read_input(&render, err) < 0 ? -1 : render_all(&render, err);
	fputs(buf_string(&render.notes.text), stderr);
	if (result == 0)
		*ret_failed = render.failed;
	render_release(&render);
	return result;
}
