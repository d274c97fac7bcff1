#include "render/print.h"

#include <string.h>

#include "base/text.h"

enum { CUT_TO = 100 }; /* bytes that are shown of a value that is cut */

const char *print_count(char out[16], unsigned count)
{
	if (count < 1000)
		snprintf(out, 16, "%u", count);
	else if (count < 1000000)
		snprintf(out, 16, "%u,%03u", count / 1000, count % 1000);
	else
		snprintf(out, 16, "%u,%03u,%03u", count / 1000000, count / 1000 % 1000, count % 1000);
	return out;
}

static void print_warnings(FILE *file, const struct set_report *set)
{
	const cJSON *warning;

	cJSON_ArrayForEach (warning, set->warnings) {
		fprintf(file, "Warning: %s\n", warning->valuestring);
	}
}

/* Widths that fit all pods of the set. */
static void measure(struct print *print, const struct set_report *set)
{
	const struct group *group = &set->stamp.group;

	print->name_width = snprintf(NULL, 0, "%s-%u", set->manifest->name, set->first + set->replicas - 1);
	print->task_width = 0;
	for (size_t i = 0; i < group->len; i++) {
		const struct group_entry *entry = &group->entries[i];
		int width = snprintf(NULL, 0, "%s %u", role_name(entry->role), entry->first_index + entry->count - 1);

		if (strcmp(entry->set, set->manifest->name) == 0 && width > print->task_width)
			print->task_width = width;
	}
}

static void text_begin(struct print *print, const struct set_report *set)
{
	const struct manifest *manifest = set->manifest;
	FILE *file = print->file;
	char count[16];

	fprintf(file, "%sStatefulSet %s: ", print->follows ? "\n" : "", manifest->title);
	if (set->denial)
		fprintf(file, "denied (%s:%u)\nError: %s\n", manifest->file, manifest->line, set->denial);
	else if (!set->injected)
		fprintf(file, "nothing is injected\n");
	else
		fprintf(file, "%s pod%s\n", print_count(count, set->replicas), set->replicas == 1 ? "" : "s");
	print_warnings(file, set);
	if (set->has_group)
		measure(print, set);
}

static void print_value(const struct print *print, const char *value)
{
	size_t len = strlen(value);
	char count[16];

	if (print->whole || len <= PRINT_VALUE_MAX)
		fputs(value, print->file);
	else
		fprintf(print->file, "%.*s… (%s bytes)", (int)text_clip(value, len, CUT_TO), value,
			print_count(count, (unsigned)len));
}

static void text_pod(struct print *print, const struct pod_report *pod)
{
	char task[32];

	if (pod->denial) {
		fprintf(print->file, "%-*s  denied\nError: %s\n", print->name_width, pod->name, pod->denial);
		return;
	}
	snprintf(task, sizeof(task), "%s %u", pod->role, pod->index);
	fprintf(print->file, "%-*s  %-*s  TF_CONFIG=", print->name_width, pod->name, print->task_width, task);
	print_value(print, pod->tf_config ? pod->tf_config : "");
	fputc('\n', print->file);
}

static void text_left_out(struct print *print, unsigned count)
{
	char text[16];

	fprintf(print->file, "… %s more\n", print_count(text, count));
}

static void text_end(struct print *print)
{
	(void)print;
}

const struct printer print_text = {text_begin, text_pod, text_left_out, text_end};

static void env_begin(struct print *print, const struct set_report *set)
{
	(void)print;
	if (set->denial)
		fprintf(stderr, "Error: %s\n", set->denial);
	print_warnings(stderr, set);
}

/* In single quotes, in which a shell leaves all but themselves alone. */
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

static void env_left_out(struct print *print, unsigned count)
{
	(void)print;
	(void)count;
}

const struct printer print_env = {env_begin, env_pod, env_left_out, text_end};

const struct printer *const printers[PRINT_FORMATS] = {
	[PRINT_TEXT] = &print_text,
	[PRINT_JSON] = &print_json,
	[PRINT_YAML] = &print_yaml,
	[PRINT_ENV] = &print_env,
};
