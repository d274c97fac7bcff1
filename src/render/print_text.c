/* SPDX-License-Identifier: Apache-2.0 */
#include "render/print_text.h"

#include <string.h>

#include "base/text.h"

enum { CUT_TO = 100 }; /* bytes shown of a value that is cut */

/* Sets the column widths that fit all pods of the set. */
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
	char count[PRINT_COUNT_MAX];

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
	char count[PRINT_COUNT_MAX];

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
	char text[PRINT_COUNT_MAX];

	fprintf(print->file, "… %s more\n", print_count(text, count));
}

const struct printer print_text = {.begin = text_begin, .pod = text_pod, .left_out = text_left_out};
