#ifndef WAIT_PEERS_H
#define WAIT_PEERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"

/*
 * Whom a pod waits for: every host that its TF_CONFIG lists, whatever the role, itself too. And what is told of it, and
 * when.
 */

enum { PEERS_TEXT_MAX = 400 }; /* bytes of a list of names, with its NUL */

struct peer {
	const char *name; /* what the resolver is asked for */
	size_t place;     /* in the lists */
	bool resolved;
};

struct peers {
	struct peer *list; /* each host once, in the order of the lists; in the arena */
	size_t len;
	size_t resolved; /* how many of them are */
};

/*
 * Reads the hosts of all addresses in the "cluster" of a TF_CONFIG, lists and sparse ones. A full name
 * (<pod>.<service>.<namespace>.svc.<domain>) gets a final dot: a resolver with the search list of a pod would ask for a
 * missing one up to five times. Shorter names need that list, and stay as they are.
 *
 * The arena must be entered. Returns -1 with ERROR_INVALID, or with ERROR_NO_MEMORY.
 */
MUST_CHECK int peers_read(struct arena *arena, const char *tf_config, struct peers *ret_peers, struct error *err);

/* Marks one as resolved. */
void peers_resolve(struct peers *peers, size_t i);

/* "trainer-5, trainer-6 and 37 more": those that did not resolve, at most `shown` of them by the names of their pods. */
void peers_name_missing(const struct peers *peers, size_t shown, char ret_text[PEERS_TEXT_MAX]);

#endif
