/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLUSTER_TRACKED_SETS_H
#define CLUSTER_TRACKED_SETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What the reconciler remembers about the StatefulSets that have opted in, and about no others: when each was changed,
 * and what was reported of it. No I/O; internal to src/cluster; not thread-safe. Times are milliseconds of the
 * monotonic clock, 0 for never.
 */

enum {
	TRACKED_SETS_MAX = 16384,
	TRACKED_SETS_NAME_MAX = 253, /* bytes of a namespace or name: the API server allows no more */
};

/* What the reconciler keeps right about a set. */
enum concern_kind {
	CONCERN_STAMP,   /* its group is the one that stage 1 would stamp now */
	CONCERN_SERVICE, /* the Service that names its pods exists, and is fit for that */
	CONCERN_KINDS,
};

struct concern {
	uint64_t due;      /* when to sync it */
	uint64_t since;    /* since when it needs to be synced */
	unsigned failures; /* in a row */
	uint64_t reported; /* event_number of the last report on it, 0 for none */
};

struct tracked_set {
	char *namespace, *name; /* owned */
	char uid[64];
	double generation; /* metadata.generation, as last seen */
	bool seen;         /* since the list began */
	struct concern concerns[CONCERN_KINDS];
	uint64_t restarted_at; /* by this replica */
	unsigned restarts;     /* in close succession */
};

/* Sorted by namespace and name. */
struct tracked_sets {
	struct tracked_set **sets;
	size_t count, capacity;
};

void tracked_sets_release(struct tracked_sets *all);

/* NULL if there is none. Borrowed until it is dropped. */
struct tracked_set *tracked_sets_find(const struct tracked_sets *all, const char *namespace, const char *name);

/* The existing one, or a new one; NULL if there are too many, a name is too long, or there is no memory. */
struct tracked_set *tracked_sets_add(struct tracked_sets *all, const char *namespace, const char *name);

void tracked_sets_drop(struct tracked_sets *all, const char *namespace, const char *name);

/* Marks all as not seen. */
void tracked_sets_begin(struct tracked_sets *all);

/* Drops those that were not seen since. */
void tracked_sets_sweep(struct tracked_sets *all);

/* The set with the concern that is due first, and which concern that is; NULL if none is due at any time. */
struct tracked_set *tracked_sets_first(const struct tracked_sets *all, enum concern_kind *ret_kind);

#endif
