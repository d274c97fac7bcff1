#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "cmd/commands.h"
#include "cmd/options.h"
#include "core/group.h"
#include "render/print.h"
#include "render/report.h"

enum { FIRST_BLOCK = 64 * 1024, GRAPHS_MAX = 16 * 1024 * 1024 };

/* Of all input, which stays, and of everything: two examinations at a time beside it. */
static const size_t manifests_memory = (size_t)256 * 1024 * 1024;
static const size_t render_memory = (size_t)448 * 1024 * 1024;

struct render_options {
	struct option_list files;
	const char *namespace;
	const char *cluster_domain;
	unsigned format;
	unsigned pod;
	bool one_pod; /* --pod was given */
	bool graph;
	bool all;
};

static const char *const formats[] = {
	[PRINT_TEXT] = "text", [PRINT_JSON] = "json", [PRINT_YAML] = "yaml", [PRINT_ENV] = "env", NULL};

/* Whether the cluster's webhook knows its image is not for manifests to say; which one it is shows nowhere here. */
static const char wait_image[] = "tfconfig-webhook";

/* The rows of the table that are asked for by their number. */
enum { ROW_POD = 4 };

static const struct option render_table[] = {
	{.flag = "--filename",
	 .alias = "-f",
	 .type = OPTION_LIST,
	 .offset = offsetof(struct render_options, files),
	 .value = "FILE",
	 .help = "a manifest, a folder of manifests, or - for stdin; may be given many times",
	 .required = true},
	{.flag = "--namespace",
	 .alias = "-n",
	 .type = OPTION_NAME,
	 .offset = offsetof(struct render_options, namespace),
	 .fallback = "default",
	 .value = "NAMESPACE",
	 .help = "the namespace of objects that name none"},
	{.flag = "--cluster-domain",
	 .type = OPTION_DOMAIN,
	 .offset = offsetof(struct render_options, cluster_domain),
	 .fallback = "",
	 .value = "DOMAIN",
	 .help = "the cluster's DNS domain, such as cluster.local; without it names end at .svc"},
	{.flag = "--output",
	 .alias = "-o",
	 .type = OPTION_ENUM,
	 .offset = offsetof(struct render_options, format),
	 .fallback = "text",
	 .choices = formats,
	 .value = "FORM",
	 .help = "text, json (an object for each StatefulSet, one a line), yaml, or env (for a shell, with --pod)"},
	[ROW_POD] = {.flag = "--pod",
		     .type = OPTION_COUNT,
		     .offset = offsetof(struct render_options, pod),
		     .max = INT_MAX,
		     .value = "ORDINAL",
		     .help = "this pod alone"},
	{.flag = "--graph",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct render_options, graph),
	 .help = "the group as a table instead of each pod's value"},
	{.flag = "--all",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct render_options, all),
	 .help = "show every pod of a large group, and long values whole"},
	{0},
};

static const char usage[] =
	"Usage: tfconfig-webhook render -f FILE [flags]\n\n"
	"Says what the webhook would say about the StatefulSets of manifests, and which TF_CONFIG each of their pods\n"
	"would get, without a cluster. A Service and the other sets of a group are checked where they are in the input.\n"
	"Exit code 0 where all are allowed, 1 where one is denied or the input can't be read, 2 for wrong usage.\n";

/* All that a run holds. */
struct render {
	const struct render_options *options;
	struct review_config config;
	struct notes notes;
	struct arena input;
	struct manifests manifests;
	struct examiner sets;
	struct examiner pods;
	struct print print;
	bool failed;        /* something was denied, or has not what was asked for */
	unsigned concerned; /* sets that the webhook has to do with */
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

static int check_options(const struct render_options *options, struct error *err)
{
	if (options->format == PRINT_ENV && !options->one_pod)
		return error_set(err, ERROR_USAGE, "--output env is for one pod: add --pod ORDINAL");
	if (options->graph && options->format != PRINT_TEXT)
		return error_set(err, ERROR_USAGE, "--graph is for --output text");
	if (options->graph && options->one_pod)
		return error_set(err, ERROR_USAGE, "--graph shows the whole group: leave --pod out");
	return 0;
}

static int read_input(struct render *render, struct budget *budget, struct error *err)
{
	const struct render_options *options = render->options;

	if (arena_init(&render->input, FIRST_BLOCK, manifests_memory, budget) < 0)
		return error_set(err, ERROR_NO_MEMORY, "out of memory");
	if (examiner_init(&render->sets, budget, err) < 0 || examiner_init(&render->pods, budget, err) < 0)
		return -1;
	render->manifests.arena = &render->input;
	render->manifests.notes = &render->notes;
	render->manifests.namespace = options->namespace;
	for (size_t i = 0; i < options->files.len; i++) {
		if (manifests_read(&render->manifests, options->files.texts[i], err) < 0)
			return -1;
	}
	return 0;
}

/* True where the writer of stdout is to go on; what went wrong is told at the end. */
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
	if (pod.denial || (render->options->format == PRINT_ENV && !pod.tf_config))
		render->failed = true;
	render->print.pods++;
	render->shown++;
	examiner_reset(&render->pods);
	return 0;
}

/* The middle of a large group is left out where people read. */
static int render_pods(struct render *render, const struct set_report *set, struct error *err)
{
	const struct render_options *options = render->options;
	bool elide = options->format == PRINT_TEXT && !options->all && set->replicas > 2 * PRINT_ENDS;

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
		notes_add(&render->notes, "StatefulSet %s has no pod %u: there are none", set->manifest->title, pod);
	else
		notes_add(&render->notes, "StatefulSet %s has no pod %u: there are %u to %u", set->manifest->title, pod,
			  set->first, set->first + set->replicas - 1);
	return 0;
}

/* Sets of one group have one table. */
static int render_graph(struct render *render, const struct set_report *set, struct error *err)
{
	const struct stamp *stamp = &set->stamp;
	struct arena *arena = &render->sets.answer;
	const char *group = group_format(arena, &stamp->group);
	const char *key = arena_printf(arena, "\n%s %u %u %u %s %u %s\n", set->manifest->namespace, stamp->start,
				       stamp->port, stamp->address, stamp->domain, stamp->sparse, group ? group : "");

	if (!group || !key)
		return error_set(err, ERROR_NO_MEMORY, "out of memory");
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
		printer->end(&render->print);
		render->print.follows = true;
	}
	examiner_reset(&render->sets);
	return 0;
}

/* A shell's variable has one value, so nothing is printed before it is known that one set alone is concerned. */
static int check_only_set(struct render *render, struct error *err)
{
	const struct manifest_list *sets = &render->manifests.sets;
	CLEANUP(notes_release) struct notes unheard;
	struct manifests manifests = render->manifests;
	const struct manifest *only = NULL;

	notes_init(&unheard);
	manifests.notes = &unheard;
	for (size_t i = 0; i < sets->len; i++) {
		struct set_report set;

		if (report_set(&render->sets, &render->config, &manifests, &sets->items[i], &set, err) < 0)
			return -1;
		if (set.concerned && only)
			return error_set(err, ERROR_USAGE,
					 "--output env is for one StatefulSet, and the input has several: %s, %s, ...",
					 only->title, sets->items[i].title);
		if (set.concerned)
			only = &sets->items[i];
		examiner_reset(&render->sets);
	}
	return only ? 0 : error_set(err, ERROR_INVALID, "no StatefulSet of the input opted in");
}

static int render_all(struct render *render, struct error *err)
{
	const struct render_options *options = render->options;
	const struct manifest_list *sets = &render->manifests.sets;

	if (options->format == PRINT_ENV && check_only_set(render, err) < 0)
		return -1;
	for (size_t i = 0; i < sets->len && may_write(render); i++) {
		if (render_set(render, &sets->items[i], err) < 0)
			return -1;
	}
	if (fflush(render->print.file) != 0 || ferror(render->print.file))
		return error_set(err, ERROR_SYSTEM, "stdout: %s", strerror(errno));
	if (render->concerned == 0)
		notes_add(&render->notes,
			  "nothing to check: no StatefulSet of the input has tfconfig.dev/ annotations");
	else if (options->one_pod && render->shown == 0 && !render->failed)
		return error_set(err, ERROR_USAGE, "--pod is %u: there is no such pod", options->pod);
	return 0;
}

static int run(struct render *render, struct error *err)
{
	struct budget budget;
	int result;

	budget_init(&budget, render_memory);
	result = read_input(render, &budget, err);
	if (result == 0)
		result = render_all(render, err);
	fputs(buf_string(&render->notes.text), stderr);
	render_release(render);
	return result;
}

int cmd_render(int argc, char **argv)
{
	struct error err = {ERROR_NONE, ""};
	struct render_options values;
	struct options options;
	struct render render = {.options = &values, .print = {.file = stdout}};

	notes_init(&render.notes);
	buf_init(&render.graphs, GRAPHS_MAX);
	if (options_help(argc, argv, usage, render_table, NULL))
		return EXIT_OK;
	if (options_parse(&options, render_table, NULL, argc, argv, &values, &err) < 0)
		return command_failed("render", &err);
	values.one_pod = options.source[ROW_POD] == OPTION_FROM_FLAG;
	render.config = (struct review_config){.cluster_domain = values.cluster_domain, .wait_image = wait_image};
	render.print.whole = values.all || values.one_pod;
	if (check_options(&values, &err) < 0 || run(&render, &err) < 0)
		return command_failed("render", &err);
	return render.failed ? EXIT_FAILED : EXIT_OK;
}
