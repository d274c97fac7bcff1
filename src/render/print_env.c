/* SPDX-License-Identifier: Apache-2.0 */
#include "render/print_env.h"

static void env_begin(struct print *print, const struct set_report *set)
{
	(void)print;
	if (set->denial)
		fprintf(stderr, "Error: %s\n", set->denial);
	print_warnings(stderr, set);
}

/* In single quotes, inside which a shell interprets only a single quote. */
static void env_pod(struct print *print, const struct pod_report *pod)
{
	if (pod->denial || !pod->tf_config) {
		fprintf(stderr, "Error: %s\n", pod->denial ? pod->denial : "the pod has no TF_CONFIG");
		return;
	}
	fputs("TF_CONFIG='", print->file);
	for (const char *at = pod->tf_config; *at; at++) {
		if (*at == '\'')
			fputs("'\\''", print->file);
		else
			fputc(*at, print->file);
	}
	fputs("'\n", print->file);
}

const struct printer print_env = {.begin = env_begin, .pod = env_pod};
