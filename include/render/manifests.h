#ifndef RENDER_MANIFESTS_H
#define RENDER_MANIFESTS_H

#include <stddef.h>

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/error.h"
#include "render/notes.h"

/*
 * The StatefulSets and Services of a number of files. Files are read as `kubectl apply -f` reads them: several YAML
 * documents or JSON, Lists unrolled, a folder's .yaml, .yml and .json files. Other kinds are passed over.
 */

/* The largest file, which is also as much as is read from stdin. */
#define MANIFESTS_MAX_FILE ((size_t)8 * 1024 * 1024)

struct manifest {
	const cJSON *object;
	const char *name;      /* "" where it has none */
	const char *namespace; /* its own, else that of the manifests */
	const char *title;     /* "ml/trainer", to be shown: clipped, and without control characters */
	const char *file;      /* as the user named it; "stdin" */
	unsigned line;         /* where its document begins */
};

struct manifest_list {
	struct manifest *items; /* in the order in which they were read */
	size_t len;
	size_t capacity;
};

struct manifests {
	struct arena *arena;   /* what is read lives there */
	struct notes *notes;   /* what kubectl would pass over in silence */
	const char *namespace; /* of objects that name none */
	struct manifest_list sets;
	struct manifest_list services;
};

/* Adds the objects of a file, of a folder's files, or for "-" of stdin. Errors name the file, a YAML error its line. */
MUST_CHECK int manifests_read(struct manifests *manifests, const char *path, struct error *err);

/* Adds the objects of a text. `name` stands for it in messages, and must live as long as the manifests. */
MUST_CHECK int manifests_read_text(struct manifests *manifests, const char *name, const char *text, size_t len,
				   struct error *err);

/* The last one of that name, as it is the one that stays when all are applied; NULL: none. */
const struct manifest *manifests_find(const struct manifest_list *list, const char *namespace, const char *name);

#endif
