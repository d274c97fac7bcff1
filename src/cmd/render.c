/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <stdio.h>

#include "cmd/commands.h"
#include "cmd/options.h"
#include "render/render.h"

struct render_settings {
	struct option_list files;
	const char *namespace;
	const char *cluster_domain;
	unsigned format; /* enum render_format */
	unsigned pod;
	bool one_pod; /* --pod was given */
	bool graph;
	bool all;
};

static const char *const formats[] = {
	[RENDER_TEXT] = "text", [RENDER_JSON] = "json", [RENDER_YAML] = "yaml", [RENDER_ENV] = "env", NULL};

static const struct option option_table[] = {
	{.flag = "--filename",
	 .alias = "-f",
	 .type = OPTION_LIST,
	 .offset = offsetof(struct render_settings, files),
	 .value = "FILE",
	 .help = "a manifest, a folder of manifests, or - for stdin; may be given many times",
	 .required = true},
	{.flag = "--namespace",
	 .alias = "-n",
	 .type = OPTION_NAME,
	 .offset = offsetof(struct render_settings, namespace),
	 .fallback = "default",
	 .value = "NAMESPACE",
	 .help = "the namespace of objects that name none"},
	{.flag = "--cluster-domain",
	 .type = OPTION_DOMAIN,
	 .offset = offsetof(struct render_settings, cluster_domain),
	 .fallback = "",
	 .value = "DOMAIN",
	 .help = "the cluster's DNS domain, such as cluster.local; without it names end at .svc"},
	{.flag = "--output",
	 .alias = "-o",
	 .type = OPTION_ENUM,
	 .offset = offsetof(struct render_settings, format),
	 .fallback = "text",
	 .choices = formats,
	 .value = "FORM",
	 .help = "text, json (an object for each StatefulSet, one per line), yaml, or env (for a shell, with --pod)"},
	{.flag = "--pod",
	 .type = OPTION_COUNT,
	 .offset = offsetof(struct render_settings, pod),
	 .max = INT_MAX,
	 .value = "ORDINAL",
	 .help = "only this pod"},
	{.flag = "--graph",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct render_settings, graph),
	 .help = "the group as a table instead of each pod's value"},
	{.flag = "--all",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct render_settings, all),
	 .help = "show every pod of a large group, and long values in full"},
	{0},
};

static const char usage[] =
	"Usage: tfconfig-webhook render -f FILE [flags]\n\n"
	"Shows what the webhook would say about the StatefulSets in manifests, and which TF_CONFIG each of their pods\n"
	"would get, without a cluster. A Service and the other sets of a group are checked if they are in the input.\n"
	"Exit code 0 if all are allowed, 1 if one is denied or the input can't be read, 2 for wrong usage.\n";

static int check_settings(const struct render_settings *settings, struct error *err)
{
	if (settings->format == RENDER_ENV && !settings->one_pod)
		return error_set(err, ERROR_USAGE, "--output env is for one pod: add --pod ORDINAL");
	if (settings->graph && settings->format != RENDER_TEXT)
		return error_set(err, ERROR_USAGE, "--graph is for --output text");
	if (settings->graph && settings->one_pod)
		return error_set(err, ERROR_USAGE, "--graph shows the whole group: leave --pod out");
	return 0;
}

static int run(const struct render_settings *settings, bool *ret_failed, struct error *err)
{
	const struct render_options options = {
		.files = settings->files.texts,
		.file_count = settings->files.len,
		.namespace = settings->namespace,
		.cluster_domain = settings->cluster_domain,
		.format = (enum render_format)settings->format,
		.one_pod = settings->one_pod,
		.pod = settings->pod,
		.graph = settings->graph,
		.all = settings->all,
	};

	return render_run(&options, stdout, ret_failed, err);
}

int cmd_render(int argc, char **argv)
{
	struct render_settings settings = {0};
	struct options options = {.table = option_table, .usage = usage, .settings = &settings};
	struct error err;
	bool failed;

	if (options_help(&options, argc, argv))
		return EXIT_OK;
	if (options_parse(&options, argc, argv, &err) < 0)
		return command_failed("render", &err);
	settings.one_pod = options_is_set(&options, "--pod");
	if (check_settings(&settings, &err) < 0 || run(&settings, &failed, &err) < 0)
		return command_failed("render", &err);
	return failed ? EXIT_FAILED : EXIT_OK;
}
