/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WAIT_LOOKUPS_H
#define WAIT_LOOKUPS_H

#include <pthread.h>

#include "base/error.h"
#include "wait/peers.h"

/*
 * Looks the peers up with the system's resolver until all have resolved, in a thread of its own: a lookup can't be
 * interrupted, and takes many seconds if DNS does not answer.
 *
 * All pods of a group do this at once, so it is gentle on DNS. It sends one query at a time, never asks again for a
 * name that has resolved, and ends a round after a number of misses, so that a whole group of any size asks for
 * missing names at most some 10,000 times a second. In a group of more than 160 pods a report may lag for that reason:
 * names after the last miss of a round count as missing.
 */

enum { LOOKUPS_TROUBLE_MAX = 128 }; /* bytes of a text, with its NUL */

struct lookups {
	struct peers *peers; /* borrowed */
	int event_fd;        /* readable once a round is over, until lookups_report */
	/* private */
	pthread_mutex_t mutex; /* guards everything in a report */
	int family;            /* address family of the last success, tried first */
	bool round_over;
	char trouble[LOOKUPS_TROUBLE_MAX];
};

struct lookups_report {
	bool round_over; /* at least one round is over, or no more are needed */
	size_t resolved;
	char missing[PEERS_TEXT_MAX];      /* peers_name_missing */
	char trouble[LOOKUPS_TROUBLE_MAX]; /* why the last round ended early, as the resolver says; "": it did not */
};

/*
 * Starts the thread. Both structs must live until the process ends, as the thread can't be stopped before all peers
 * have resolved. Signals should be blocked, so that the thread gets none. Returns -1 with ERROR_SYSTEM.
 */
MUST_CHECK int lookups_start(struct lookups *lookups, struct peers *peers, struct error *err);

/* The state so far, with the names of at most `shown` missing peers. For one thread. */
void lookups_report(struct lookups *lookups, size_t shown, struct lookups_report *ret_report);

#endif
