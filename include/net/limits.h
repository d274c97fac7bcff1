/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NET_LIMITS_H
#define NET_LIMITS_H

#include <stddef.h>

#include "base/error.h"

/*
 * How many connections the TLS port can afford. More wait in the system's queue, which costs little; up to there,
 * memory and descriptors must suffice.
 */

/*
 * Bytes of the budget that a connection takes while it is open: for the TLS session, its buffers, and the HTTP
 * library's own. A client that leaves a record half sent can make it twice as much, which the budget does not see: the
 * memory limit of the pod allows for that on all connections.
 */
#define LIMITS_CONNECTION_MEMORY ((size_t)28 * 1024)

struct limits {
	unsigned connections;
	const char *reason; /* why there are fewer than asked for, in static memory; NULL: there are not */
};

/*
 * As many connections as asked for, limited by half of the memory (bytes) and by the process's descriptors, whose soft
 * limit is raised if necessary. But at least one per thread: ERROR_SYSTEM if there are not enough descriptors for
 * that.
 */
MUST_CHECK int limits_find(unsigned asked, unsigned threads, size_t memory, struct limits *ret_limits,
			   struct error *err);

#endif
