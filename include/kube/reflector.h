/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_REFLECTOR_H
#define KUBE_REFLECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/budget.h"
#include "base/compiler.h"
#include "base/error.h"
#include "kube/backoff.h"
#include "kube/client.h"
#include "kube/object.h"

/*
 * Shows all objects of a kind, in all namespaces, and each change from then on: a list in pages, then a watch that
 * continues from the list's version, with bookmarks, and is opened again from where it ended. There is a new list if
 * the API server no longer knows that version, and every six hours. No objects are kept, so memory does not grow with
 * their number.
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes
 *
 * Belongs to the thread of its client. Times are milliseconds of the monotonic clock.
 */

struct reflector_handler {
	void *context;
	void (*list_begins)(void *context);
	/* The object is borrowed for the call; its arena is entered. The handler must not call the client. */
	void (*seen)(void *context, const cJSON *object);
	void (*deleted)(void *context, const cJSON *object);
	/* Objects that were not seen since the list began no longer exist. */
	void (*list_ends)(void *context);
};

struct reflector {
	struct kube_client *client; /* borrowed */
	const char *path;           /* of the collection; borrowed */
	struct reflector_handler handler;
	struct arena arena;
	struct backoff backoff;
	char version[OBJECT_VERSION_SIZE]; /* up to which everything was shown; "": list first */
	uint64_t due, opened_at, listed_at;
	bool watching;         /* a stream was opened, and its end not handled yet */
	bool expired;          /* the watch reported that the version is too old, … */
	bool broken;           /* … or another error */
	unsigned long skipped; /* objects that need more memory than one may take */
};

/* The arena takes its memory from the budget. Returns -1 if there is no memory; then there is nothing to release. */
MUST_CHECK int reflector_init(struct reflector *reflector, struct kube_client *client, const char *path,
			      const struct reflector_handler *handler, struct budget *budget, struct error *err);
void reflector_release(struct reflector *reflector);

/*
 * Does what is due: lists, or opens the watch. Call it after each wait of the client. Anything but KUBE_OK is what the
 * API server answered (err says it in words); the reflector tries again later.
 */
MUST_CHECK enum kube_status reflector_tend(struct reflector *reflector, uint64_t now, struct error *err);

/* When to tend it at the latest, even if the client has no news. */
uint64_t reflector_next(const struct reflector *reflector);

#endif
