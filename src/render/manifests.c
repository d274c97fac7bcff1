/* SPDX-License-Identifier: Apache-2.0 */
#include "render/manifests.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/names.h"
#include "base/text.h"
#include "core/kinds.h"
#include "core/messages.h"
#include "render/document_walk.h"
#include "render/yaml.h"
#include "sys/file.h"

enum { MANIFESTS_FIRST = 16 };

/* The place of a document, which is copied to its objects. */
struct place {
	const char *file;
	unsigned line;
};

static int fail_for_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, MESSAGE_NO_MEMORY);
}

static const char *title_of(struct arena *arena, const char *namespace, const char *name)
{
	size_t namespace_len = text_clip(namespace, strlen(namespace), DNS_LABEL_MAX);
	size_t name_len = text_clip(name, strlen(name), DNS_NAME_MAX);
	char *title = arena_printf(arena, "%.*s/%.*s", (int)namespace_len, namespace, (int)name_len, name);

	if (title)
		text_clean(title);
	return title;
}

static int add(struct manifests *manifests, struct manifest_list *list, const cJSON *object, const struct place *place,
	       struct error *err)
{
	const cJSON *metadata = json_get_object(object, "metadata");
	const char *name = json_get_string(metadata, "name");
	const char *namespace = json_get_string(metadata, "namespace");
	const char *title;

	name = name ? name : "";
	namespace = namespace && namespace[0] ? namespace : manifests->namespace;
	title = title_of(manifests->arena, namespace, name);
	if (!title)
		return fail_for_memory(err);
	if (list->len == list->capacity) {
		size_t capacity = list->capacity ? 2 * list->capacity : MANIFESTS_FIRST;
		struct manifest *items = arena_calloc(manifests->arena, capacity, sizeof(*items));

		if (!items)
			return fail_for_memory(err);
		if (list->len)
			memcpy(items, list->items, list->len * sizeof(*items));
		list->items = items;
		list->capacity = capacity;
	}
	list->items[list->len++] = (struct manifest){
		.object = object,
		.name = name,
		.namespace = namespace,
		.title = title,
		.file = place->file,
		.line = place->line,
	};
	return 0;
}

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text);

	return len > strlen(end) && strcmp(text + len - strlen(end), end) == 0;
}

/* Items of a StatefulSetList may leave out kind and apiVersion, which the list gives for all. */
static void inherit(struct arena *arena, const cJSON *list, cJSON *item)
{
	const char *kind = json_get_string(list, "kind");

	if (!cJSON_IsObject(item) || json_get_string(item, "kind") || !ends_with(kind, "List"))
		return;
	json_add_string(item, "kind", arena_strndup(arena, kind, strlen(kind) - strlen("List")));
	if (!json_get_string(item, "apiVersion"))
		json_add_string(item, "apiVersion", json_get_string(list, "apiVersion"));
}

static int add_object(struct manifests *manifests, cJSON *object, const struct place *place, struct error *err)
{
	const char *kind = json_get_string(object, "kind");
	const char *version = json_get_string(object, "apiVersion");
	cJSON *items = json_get_array(object, "items");
	cJSON *item;

	if (!kind || !version) {
		notes_add(manifests->notes, "%s:%u: skipped: it has no kind or no apiVersion", place->file,
			  place->line);
		return 0;
	}
	if (kind_of_object(kind, version))
		return add(manifests, &manifests->sets, object, place, err);
	if (strcmp(kind, "Service") == 0 && !strchr(version, '/'))
		return add(manifests, &manifests->services, object, place, err);
	if (strcmp(kind, "Kustomization") == 0)
		notes_add(manifests->notes, "%s: not built: pipe kubectl kustomize into tfconfig-webhook render -f -",
			  place->file);
	if (!items || (strcmp(kind, "List") != 0 && !ends_with(kind, "List")))
		return 0;
	cJSON_ArrayForEach (item, items) {
		inherit(manifests->arena, object, item);
		if (add_object(manifests, item, place, err) < 0)
			return -1;
	}
	return 0;
}

static int add_document(struct manifests *manifests, const struct yaml_text *document, struct error *err)
{
	struct place place = {.file = document->name, .line = document->line};
	struct arena *before;
	cJSON *tree;
	int result;

	if (yaml_read(manifests->arena, document, manifests->notes, &tree, err) < 0)
		return -1;
	if (!tree)
		return 0;
	before = arena_enter(manifests->arena);
	result = add_object(manifests, tree, &place, err);
	arena_enter(before);
	return result;
}

int manifests_read_text(struct manifests *manifests, const char *name, const char *text, size_t len, struct error *err)
{
	struct document_walk walk;
	int found;

	document_walk_init(&walk, name, text, len);
	while ((found = document_walk_next(&walk, err)) > 0) {
		if (add_document(manifests, &walk.document, err) < 0)
			return -1;
	}
	return found;
}

static int read_open_file(struct manifests *manifests, const char *name, int fd, struct error *err)
{
	CLEANUP(buf_release) struct buf text;

	buf_init(&text, MANIFESTS_MAX_FILE);
	if (file_read_descriptor(fd, &text) < 0) {
		if (errno == EFBIG)
			return error_set(err, ERROR_INVALID, "%s: it is larger than 8 MiB", name);
		return error_set(err, ERROR_SYSTEM, "%s: %s", name, strerror(errno));
	}
	return manifests_read_text(manifests, name, buf_string(&text), text.len, err);
}

static int is_manifest_name(const struct dirent *entry)
{
	return ends_with(entry->d_name, ".yaml") || ends_with(entry->d_name, ".yml") ||
	       ends_with(entry->d_name, ".json");
}

static int read_file(struct manifests *manifests, const char *path, bool in_folder, struct error *err);

static int read_entry(struct manifests *manifests, const char *folder, const char *name, struct error *err)
{
	const char *path = arena_printf(manifests->arena, "%s%s%s", folder, ends_with(folder, "/") ? "" : "/", name);

	return path ? read_file(manifests, path, true, err) : fail_for_memory(err);
}

static int read_folder(struct manifests *manifests, const char *path, struct error *err)
{
	struct dirent **entries;
	int len = scandir(path, &entries, is_manifest_name, alphasort);
	int result = 0;

	if (len < 0)
		return error_set(err, ERROR_SYSTEM, "%s: %s", path, strerror(errno));
	for (int i = 0; i < len; i++) {
		if (result == 0)
			result = read_entry(manifests, path, entries[i]->d_name, err);
		free(entries[i]);
	}
	free(entries);
	return result;
}

/* Folders inside a folder are skipped. */
static int read_file(struct manifests *manifests, const char *path, bool in_folder, struct error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	int result;

	if (fd < 0)
		return error_set(err, ERROR_SYSTEM, "%s: %s", path, strerror(errno));
	if (fstat(fd, &status) < 0)
		result = error_set(err, ERROR_SYSTEM, "%s: %s", path, strerror(errno));
	else if (!S_ISDIR(status.st_mode))
		result = read_open_file(manifests, path, fd, err);
	else
		result = in_folder ? 0 : read_folder(manifests, path, err);
	close(fd);
	return result;
}

int manifests_read(struct manifests *manifests, const char *path, struct error *err)
{
	if (strcmp(path, "-") == 0)
		return read_open_file(manifests, "stdin", STDIN_FILENO, err);
	return read_file(manifests, path, false, err);
}

const struct manifest *manifests_find(const struct manifest_list *list, const char *namespace, const char *name)
{
	for (size_t i = list->len; i > 0; i--) {
		const struct manifest *manifest = &list->items[i - 1];

		if (strcmp(manifest->name, name) == 0 && strcmp(manifest->namespace, namespace) == 0)
			return manifest;
	}
	return NULL;
}
