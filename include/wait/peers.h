/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WAIT_PEERS_H
#define WAIT_PEERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"

/*
 * The peers a pod waits for: every host in its TF_CONFIG, whatever the role, including itself. Not thread-safe.
 */

enum { PEERS_TEXT_MAX = 400 }; /* bytes of a list of names, with its NUL */

struct peer {
	const char *name; /* the name to resolve */
	size_t place;     /* in the lists */
	bool resolved;
};

struct peers {
	struct peer *list; /* each host once, in the order of the lists; in the arena */
	size_t len;
	size_t resolved; /* how many of them have resolved */
};

/*
 * Reads the hosts of all addresses in the "cluster" of a TF_CONFIG, both lists and sparse ones. A full name
 * (<pod>.<service>.<namespace>.svc.<domain>) gets a final dot: without it, a resolver with the search list of a pod
 * queries a missing name up to five times. Shorter names need that list, and stay as they are.
 *
 * The arena must be entered. Returns -1 with ERROR_INVALID, or with ERROR_NO_MEMORY.
 */
MUST_CHECK int peers_read(struct arena *arena, const char *tf_config, struct peers *ret_peers, struct error *err);

/* Marks one as resolved. */
void peers_resolve(struct peers *peers, size_t i);

/* "trainer-5, trainer-6 and 37 more": the peers that have not resolved, at most `shown` of them by pod name. */
void peers_name_missing(const struct peers *peers, size_t shown, char ret_text[PEERS_TEXT_MAX]);

#endif
