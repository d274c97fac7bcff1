#ifndef KUBE_FOLLOWED_H
#define KUBE_FOLLOWED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What the reconciler remembers of the StatefulSets that have opted in, and of no other: when each was changed, and what
 * was said of it. No I/O; internal to src/kube. Times are milliseconds of the monotonic clock, 0 for never.
 */

enum {
	FOLLOWED_MAX = 16384,
	FOLLOWED_NAME_MAX = 253, /* bytes of a namespace or name: an API server takes no more */
};

/* Something to see to: the stamp of the set, or its Service. */
struct concern {
	uint64_t due;
	uint64_t since;    /* when it began to need care */
	unsigned failures; /* in a row */
	uint64_t told;     /* a number for what was last told of it, 0 for nothing */
};

struct followed {
	char *namespace, *name; /* owned */
	char uid[64];
	double generation; /* of the spec, as last seen */
	bool seen;         /* since the list began */
	struct concern stamp, service;
	uint64_t restarted_at; /* by this replica */
	unsigned restarts;     /* in close succession */
};

/* In the order of namespace and name. */
struct followed_sets {
	struct followed **sets;
	size_t count, capacity;
};

void followed_release(struct followed_sets *all);

/* NULL where there is none. Borrowed until it is dropped. */
struct followed *followed_find(const struct followed_sets *all, const char *namespace, const char *name);

/* The one that is there, or a new one; NULL where there are too many, a name is too long, or there is no memory. */
struct followed *followed_add(struct followed_sets *all, const char *namespace, const char *name);

void followed_drop(struct followed_sets *all, const char *namespace, const char *name);

/* Marks all as not seen. */
void followed_begin(struct followed_sets *all);

/* Drops what was not seen since. */
void followed_sweep(struct followed_sets *all);

/* The one with the concern that is due first, which *ret_due tells; NULL where none is. */
struct followed *followed_first(const struct followed_sets *all, uint64_t *ret_due);

#endif
