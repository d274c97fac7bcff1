/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_MANIFESTS_H
#define RENDER_MANIFESTS_H

#include <stddef.h>

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/error.h"
#include "render/notes.h"

/*
 * The StatefulSets and Services in a number of files. Files are read as `kubectl apply -f` reads them: several YAML
 * documents or JSON, Lists unrolled, a folder's .yaml, .yml and .json files. Other kinds are skipped. Not thread-safe.
 */

/* Bytes of the largest file, and the most that is read from stdin. */
#define MANIFESTS_MAX_FILE ((size_t)8 * 1024 * 1024)

struct manifest {
	const cJSON *object;
	const char *name;      /* "" if it has none */
	const char *namespace; /* its own, else the one in struct manifests */
	const char *title;     /* "ml/trainer", for output: clipped, and without control characters */
	const char *file;      /* as the user named it; "stdin" */
	unsigned line;         /* where its document starts */
};

struct manifest_list {
	struct manifest *items; /* in the order in which they were read */
	size_t len;
	size_t capacity;
};

struct manifests {
	struct arena *arena;   /* holds everything that is read; borrowed */
	struct notes *notes;   /* on what kubectl would silently ignore; borrowed */
	const char *namespace; /* of objects that name none */
	struct manifest_list sets;
	struct manifest_list services;
};

/*
 * Adds the objects of a file, of a folder's files, or of stdin for "-". Errors name the file, YAML errors the line too.
 */
MUST_CHECK int manifests_read(struct manifests *manifests, const char *path, struct error *err);

/* Adds the objects of a text. `name` is its name in messages, and must live as long as the manifests. */
MUST_CHECK int manifests_read_text(struct manifests *manifests, const char *name, const char *text, size_t len,
				   struct error *err);

/* The last manifest of that name, which is the one that stays if all are applied; NULL: none. */
const struct manifest *manifests_find(const struct manifest_list *list, const char *namespace, const char *name);

#endif
