/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_GROUP_H
#define CORE_GROUP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "core/role.h"

/*
 * The group: which pods of which StatefulSets train together, and as what. Written as a comma list of
 *
 *     role[=statefulset[.service]]:count
 *
 * where the ordinals of each StatefulSet are dealt out in the order written, and the indices of each role likewise.
 */

enum {
	GROUP_COUNT_MAX = 99999,
	GROUP_ENTRIES_MAX = 256,
};

struct group_entry {
	enum role role;
	bool rest;           /* the count was "*": what the other entries leave of the replicas */
	const char *set;     /* NULL in a written group that does not name it */
	const char *service; /* likewise */
	unsigned count;
	unsigned first_ordinal; /* of the set's pods in this entry; known once numbered */
	unsigned first_index;   /* within the role; likewise */
};

struct group {
	struct group_entry *entries; /* in the arena */
	size_t len;
};

/* What a group is resolved against: the StatefulSet that carries it. */
struct group_owner {
	const char *set;
	const char *service;
	unsigned replicas;
	unsigned first_ordinal; /* spec.ordinals.start */
};

/*
 * Reads the text into *ret_group, as written: nothing is numbered and a count of "*" is 0. Returns -1 with
 * ERROR_INVALID, whose message names the entry and what is allowed, or with ERROR_NO_MEMORY.
 */
MUST_CHECK int group_parse(struct arena *arena, const char *text, struct group *ret_group, struct error *err);

/* The group of a set that writes none: "worker:<replicas>", following the replicas. */
MUST_CHECK int group_of_workers(struct arena *arena, struct group *ret_group, struct error *err);

/*
 * Resolves a written group: names sets and services, gives "*" its count, leaves out what has none, joins neighbours
 * that say the same, numbers the entries, and checks what the whole must hold (group_check, counts that add up to the
 * replicas, one service a set). `ret_follows` says whether the own part follows the replicas: a
 * "*" stands for workers or ps.
 */
MUST_CHECK int group_resolve(struct group *group, const struct group_owner *owner, bool *ret_follows,
			     struct error *err);

/*
 * What must be true of a group whose sets and services are named: at most one chief and one evaluator, no lone
 * evaluator, no ps without a worker, one service a set.
 */
MUST_CHECK int group_check(const struct group *group, struct error *err);

/* Fills first_ordinal and first_index. `start` is the first ordinal of every set. */
void group_number(struct group *group, unsigned start);

/* The text of a resolved group, with sets and services; group_parse reads it back. NULL where the arena is full. */
const char *group_format(struct arena *arena, const struct group *group);

/* Finds what a pod is; false where the group does not hold it. */
bool group_find(const struct group *group, const char *set, unsigned ordinal, struct task *ret_task);

/* The first entry of a set's pods; NULL: the group holds none. */
const struct group_entry *group_entry_of(const struct group *group, const char *set);

bool group_equal(const struct group *a, const struct group *b);

/* How many pods have the role, belong to the set, and are there in all. */
unsigned group_role_size(const struct group *group, enum role role);
unsigned group_set_size(const struct group *group, const char *set);
unsigned group_size(const struct group *group);

/* True where no entry before the i-th names its set. */
bool group_entry_is_first_of_set(const struct group *group, size_t i);

/* True where an entry names another set than `set`. */
bool group_spans_sets(const struct group *group, const char *set);

#endif
