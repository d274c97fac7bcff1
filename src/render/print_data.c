/* SPDX-License-Identifier: Apache-2.0 */
#include "render/print_data.h"

#include <string.h>

#include "base/json.h"

/* Bytes of a character that must be escaped: quotes, and what is not printable in YAML. 0: it needs no escape. */
static size_t size_to_escape(const char *text)
{
	unsigned char byte = (unsigned char)text[0];

	if (byte == '"' || byte == '\\' || byte < 0x20 || byte == 0x7F)
		return 1;
	return byte == 0xC2 && (unsigned char)text[1] < 0xA0 ? 2 : 0;
}

/* A JSON string, which is also a YAML string. */
static void put_string(FILE *file, const char *text)
{
	size_t len = 0;

	fputc('"', file);
	while (text[len]) {
		size_t size = size_to_escape(text + len);

		if (size == 0) {
			len++;
			continue;
		}
		fwrite(text, 1, len, file);
		text += len;
		len = 0;
		if (*text == '"' || *text == '\\')
			fprintf(file, "\\%c", *text);
		else
			fprintf(file, "\\u%04x", (unsigned char)text[size - 1]);
		text += size;
	}
	fwrite(text, 1, len, file);
	fputc('"', file);
}

static void put_string_or_null(FILE *file, const char *text)
{
	if (text)
		put_string(file, text);
	else
		fputs("null", file);
}

static void json_begin(struct print *print, const struct set_report *set)
{
	const struct manifest *manifest = set->manifest;
	FILE *file = print->file;
	const cJSON *warning;

	fputs("{\"namespace\":", file);
	put_string(file, manifest->namespace);
	fputs(",\"name\":", file);
	put_string(file, manifest->name);
	fputs(",\"file\":", file);
	put_string(file, manifest->file);
	fputs(",\"denial\":", file);
	put_string_or_null(file, set->denial);
	fputs(",\"warnings\":[", file);
	cJSON_ArrayForEach (warning, set->warnings) {
		put_string(file, warning->valuestring);
		fputs(warning->next ? "," : "", file);
	}
	fputs("],\"pods\":[", file);
}

static void json_pod(struct print *print, const struct pod_report *pod)
{
	FILE *file = print->file;
	const cJSON *label;

	fputs(print->pods ? ",{\"name\":" : "{\"name\":", file);
	put_string(file, pod->name);
	fputs(",\"denial\":", file);
	put_string_or_null(file, pod->denial);
	fputs(",\"role\":", file);
	put_string_or_null(file, pod->role);
	fprintf(file, ",\"index\":%u,\"tfConfig\":", pod->index);
	put_string_or_null(file, pod->tf_config);
	fputs(",\"labels\":{", file);
	cJSON_ArrayForEach (label, pod->labels) {
		put_string(file, label->string);
		fputc(':', file);
		put_string_or_null(file, cJSON_GetStringValue(label));
		fputs(label->next ? "," : "", file);
	}
	fputs("}}", file);
}

static void json_end(struct print *print)
{
	fputs("]}\n", print->file);
}

const struct printer print_data_json = {.begin = json_begin, .pod = json_pod, .end = json_end};

static void put_member(FILE *file, const char *indentation, const char *name, const char *text)
{
	fprintf(file, "%s%s: ", indentation, name);
	put_string_or_null(file, text);
	fputc('\n', file);
}

static void yaml_begin(struct print *print, const struct set_report *set)
{
	const struct manifest *manifest = set->manifest;
	FILE *file = print->file;
	const cJSON *warning;

	fputs("---\n", file);
	put_member(file, "", "namespace", manifest->namespace);
	put_member(file, "", "name", manifest->name);
	put_member(file, "", "file", manifest->file);
	put_member(file, "", "denial", set->denial);
	fputs(set->warnings->child ? "warnings:\n" : "warnings: []\n", file);
	cJSON_ArrayForEach (warning, set->warnings) {
		fputs("- ", file);
		put_string(file, warning->valuestring);
		fputc('\n', file);
	}
}

static void yaml_pod(struct print *print, const struct pod_report *pod)
{
	FILE *file = print->file;
	const cJSON *label;

	if (print->pods == 0)
		fputs("pods:\n", file);
	put_member(file, "- ", "name", pod->name);
	put_member(file, "  ", "denial", pod->denial);
	put_member(file, "  ", "role", pod->role);
	fprintf(file, "  index: %u\n", pod->index);
	put_member(file, "  ", "tfConfig", pod->tf_config);
	fputs("  labels:\n", file);
	cJSON_ArrayForEach (label, pod->labels) {
		fputs("    ", file);
		put_string(file, label->string);
		fputs(": ", file);
		put_string_or_null(file, cJSON_GetStringValue(label));
		fputc('\n', file);
	}
}

static void yaml_end(struct print *print)
{
	if (print->pods == 0)
		fputs("pods: []\n", print->file);
}

const struct printer print_data_yaml = {.begin = yaml_begin, .pod = yaml_pod, .end = yaml_end};
