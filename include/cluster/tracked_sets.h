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

/* What the reconciler keeps right about a set. */
enum concern_kind {
	CONCERN_STAMP,   /* its group is the one that stage 1 would stamp now */
	CONCERN_SERVICE, /* the Service that gives its pods their names is there, and fit for it */
	CONCERN_KINDS,
};

struct concern {
	uint64_t due;
	uint64_t since;    /* when it began to need care */
	unsigned failures; /* in a row */
	uint64_t reported; /* a number for what was last reported of it, 0 for nothing */
};

struct tracked_set {
	char *namespace, *name; /* owned */
	char uid[64];
	double generation; /* of the spec, as last seen */
	bool seen;         /* since the list began */
	struct concern concerns[CONCERN_KINDS];
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

/* The set with the concern that is due first, and which concern that is; NULL where none is due, ever. */
struct tracked_set *tracked_sets_first(const struct tracked_sets *all, enum concern_kind *ret_kind);

#endif
