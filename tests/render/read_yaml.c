/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "render/document_walk.h"
#include "render/notes.h"
#include "render/yaml.h"

/*
 * Prints the documents of each file as JSON, one per line, as `tfconfig-webhook render` reads them, or the error after
 * "error: ". Then come the notes, each after "note: ". A line of --- ends the file.
 */

enum { FILE_MAX = 16 * 1024 * 1024, MEMORY = 256 * 1024 * 1024 };

static const char *print(const cJSON *tree)
{
	const char *text = cJSON_PrintUnformatted(tree);

	return text ? text : "error: no memory";
}

static int print_documents(const char *name, const char *text, size_t len, struct arena *arena, struct notes *notes,
			   struct error *err)
{
	struct document_walk walk;
	int found;

	document_walk_init(&walk, name, text, len);
	while ((found = document_walk_next(&walk, err)) > 0) {
		cJSON *tree = NULL;
		struct arena *before;

		if (yaml_read(arena, &walk.document, notes, &tree, err) < 0)
			return -1;
		before = arena_enter(arena);
		if (tree)
			puts(print(tree));
		arena_enter(before);
	}
	return found;
}

static int print_file(const char *path, char *text, struct arena *arena)
{
	FILE *file = fopen(path, "rb");
	struct notes notes;
	struct error err;
	size_t len;

	if (!file) {
		perror(path);
		return -1;
	}
	len = fread(text, 1, FILE_MAX, file);
	fclose(file);
	notes_init(&notes);
	if (print_documents(path, text, len, arena, &notes, &err) < 0)
		printf("error: %s\n", err.message);
	printf("%s---\n", buf_string(&notes.text));
	notes_release(&notes);
	arena_reset(arena);
	return 0;
}

int main(int argc, char **argv)
{
	char *text = malloc(FILE_MAX);
	struct budget budget;
	struct arena arena;

	arena_hook_cjson();
	budget_init(&budget, MEMORY);
	if (!text || arena_init(&arena, 64 * 1024, MEMORY, &budget) < 0)
		return 1;
	for (int i = 1; i < argc; i++) {
		if (print_file(argv[i], text, &arena) < 0)
			return 1;
	}
	arena_release(&arena);
	free(text);
	return 0;
}
