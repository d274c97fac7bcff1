#ifndef CLUSTER_TRACKED_SETS_H
#define CLUSTER_TRACKED_SETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What the reconciler remembers of the StatefulSets that have opted in, and of no other: when each was changed, and what
 * was said of it. No I/O; internal to src/kube. Times are milliseconds of the monotonic clock, 0 for never.
 */

enum {
	TRACKED_SETS_MAX = 16384,
	TRACKED_SETS_NAME_MAX = 253, /* bytes of a namespace or name: an API server takes no more */
};

/* Something to see to: the stamp of the set, or its Service. */
struct concern {
	uint64_t due;
	uint64_t since;    /* when it began to need care */
	unsigned failures; /* in a row */
	uint64_t told;     /* a number for what was last told of it, 0 for nothing */
};

struct tracked_set {
	char *namespace, *name; /* owned */
	char uid[64];
	double generation; /* of the spec, as last seen */
	bool seen;         /* since the list began */
	struct concern stamp, service;
	uint64_t restarted_at; /* by this replica */
	unsigned restarts;     /* in close succession */
};

/* In the order of namespace and name. */
struct tracked_sets {
	struct tracked_set **sets;
	size_t count, capacity;
};

void tracked_sets_release(struct tracked_sets *all);

/* NULL where there is none. Borrowed until it is dropped. */
struct tracked_set *tracked_sets_find(const struct tracked_sets *all, const char *namespace, const char *name);

/* The one that is there, or a new one; NULL where there are too many, a name is too long, or there is no memory. */
struct tracked_set *tracked_sets_add(struct tracked_sets *all, const char *namespace, const char *name);

void tracked_sets_drop(struct tracked_sets *all, const char *namespace, const char *name);

/* Marks all as not seen. */
void tracked_sets_begin(struct tracked_sets *all);

/* Drops what was not seen since. */
void tracked_sets_sweep(struct tracked_sets *all);

/* The one with the concern that is due first, which *ret_due tells; NULL where none is. */
struct tracked_set *tracked_sets_first(const struct tracked_sets *all, uint64_t *ret_due);

#endif
