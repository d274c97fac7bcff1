/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_RELATED_H
#define CORE_RELATED_H

#include <stddef.h>

#include "base/arena.h"

/*
 * The other objects of the cluster that advice on a StatefulSet depends on: its Service, and the other sets of its
 * group. A first review lists them, a caller that can ask the API server fills in what it found, and a second review of
 * the same bytes then knows more. Nothing is looked up here.
 */

enum { RELATED_MAX = 16 }; /* objects that one review asks for: one look at each is to fit into its time */

enum related_kind { RELATED_SERVICE, RELATED_STATEFUL_SET };
#define RELATED_KINDS (RELATED_STATEFUL_SET + 1)

enum related_state {
	RELATED_UNKNOWN, /* not looked up, or the look-up failed */
	RELATED_FOUND,
	RELATED_MISSING,
};
#define RELATED_STATES (RELATED_MISSING + 1)

struct related {
	enum related_kind kind;
	const char *name; /* a DNS label */
	enum related_state state;
	const char *json; /* the object, where it was found; json[json_len] is '\0' */
	size_t json_len;
};

/* All of one namespace. Zeroed, it is empty; it grows in an arena, in the order in which objects are asked for. */
struct related_list {
	const char *namespace; /* a DNS label; NULL while the list is empty */
	struct related *items;
	size_t len;
};

/*
 * The object, which joins the list as an unknown one where it is not there. NULL where it has no place: the list or the
 * arena is full, or a name is not a DNS label and could mean something else in a URL. Strings are borrowed.
 */
const struct related *related_want(struct related_list *list, struct arena *arena, const char *namespace,
				   enum related_kind kind, const char *name);

/* "Service" or "StatefulSet". */
const char *related_kind_name(enum related_kind kind);

#endif
