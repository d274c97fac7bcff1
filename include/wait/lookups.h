#ifndef WAIT_LOOKUPS_H
#define WAIT_LOOKUPS_H

#include <pthread.h>

#include "base/error.h"
#include "wait/peers.h"

/*
 * Looks the peers up with the system's resolver until all have resolved, in a thread of its own: a look-up can't be
 * cut, and where DNS is silent it takes many seconds.
 *
 * All pods of a group do this at once, so it is gentle on DNS: one question at a time, a name that resolved never again,
 * and a bound on the misses of a round, so that a group asks for missing names some 10,000 times a second at the most,
 * whatever its size. In a group of more than 160 a count may lag behind for that: names behind the last miss of a round
 * count as missing.
 */

enum { LOOKUPS_TROUBLE_MAX = 128 }; /* bytes of a text, with its NUL */

struct lookups {
	struct peers *peers; /* borrowed */
	int event_fd;        /* readable once a round is over, until lookups_report */
	/* private */
	pthread_mutex_t mutex; /* of all that a report tells */
	int family;            /* that resolved last: asked for first */
	bool round_over;
	char trouble[LOOKUPS_TROUBLE_MAX];
};

struct lookups_report {
	bool round_over; /* one at least, or none is needed any more */
	size_t resolved;
	char missing[PEERS_TEXT_MAX];      /* peers_name_missing */
	char trouble[LOOKUPS_TROUBLE_MAX]; /* why the last round ended early, in the resolver's words; "": it did not */
};

/*
 * Starts. Both structs must live until the process ends, which is the only way to stop before all have resolved. Signals
 * should be blocked, so that the thread gets none.
 */
MUST_CHECK int lookups_start(struct lookups *lookups, struct peers *peers, struct error *err);

/* How far it is, with at most `shown` names of those that are missing. */
void lookups_report(struct lookups *lookups, size_t shown, struct lookups_report *ret_report);

#endif
