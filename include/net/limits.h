#ifndef NET_LIMITS_H
#define NET_LIMITS_H

#include <stddef.h>

#include "base/error.h"

/*
 * How many connections the TLS port can afford. Beyond it they wait in the system's queue, which costs little; within
 * it memory and descriptors have to be there.
 */

/*
 * What a connection takes from the memory that all share, for as long as it is open: the TLS session, its buffers, and
 * the HTTP library's own. Where a client leaves a record half sent it can be twice as much, beside the budget: the pod's
 * limit is above what all of them then take.
 */
#define LIMITS_CONNECTION_MEMORY ((size_t)28 * 1024)

struct limits {
	unsigned connections;
	const char *reason; /* why there are fewer than asked for: static memory; NULL where there are not */
};

/*
 * As many connections as asked for, and as half of the memory and the process's descriptors are enough for; the limit
 * of descriptors is raised where it may be. ERROR_SYSTEM where there are none for a connection a thread.
 */
MUST_CHECK int limits_find(unsigned asked, unsigned threads, size_t memory, struct limits *ret_limits, struct error *err);

#endif
