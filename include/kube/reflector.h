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
 * Shows all objects of a kind, in all namespaces, and each change from then on: a list in pages, then a watch that goes
 * on from where the list ended, with bookmarks, and is opened again where it ended; a new list where the API server no
 * longer knows that place, and every six hours. Nothing is kept of the objects, so memory does not grow with their number.
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes
 *
 * Internal to src/kube. Belongs to the thread of its client. Times are milliseconds of the monotonic clock.
 */

struct reflector_handler {
	void *context;
	void (*list_begins)(void *context);
	/* The object lives until the call returns, in an arena that is entered. The client must not be called. */
	void (*seen)(void *context, const cJSON *object);
	void (*deleted)(void *context, const cJSON *object);
	/* What was not seen since the list began is no more. */
	void (*list_ends)(void *context);
};

struct reflector {
	struct kube_client *client; /* borrowed */
	const char *path;           /* of the collection; borrowed */
	struct reflector_handler handler;
	struct arena arena;
	struct backoff backoff;
	char version[OBJECT_VERSION_SIZE]; /* up to which all has been shown; "": nothing has */
	uint64_t due, opened_at, listed_at;
	bool watching;         /* a stream was opened, and its end not yet seen to */
	bool expired;          /* the watch says that the version is too old, … */
	bool broken;           /* … or something else */
	unsigned long skipped; /* objects that need more memory than there is for one */
};

/* The arena takes its memory from the budget. Returns -1 where memory is gone; then there is nothing to release. */
MUST_CHECK int reflector_init(struct reflector *reflector, struct kube_client *client, const char *path,
			      const struct reflector_handler *handler, struct budget *budget, struct error *err);
void reflector_release(struct reflector *reflector);

/*
 * Does what is due: lists, or opens the watch. To be called after each wait of the client. KUBE_OK where there is
 * nothing to complain of; else what the API server said, and it is tried again later.
 */
MUST_CHECK enum kube_status reflector_tend(struct reflector *reflector, uint64_t now, struct error *err);

/* When to tend it at the latest, though the client had no news. */
uint64_t reflector_next(const struct reflector *reflector);

#endif
