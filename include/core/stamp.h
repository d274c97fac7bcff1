/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_STAMP_H
#define CORE_STAMP_H

#include <stdbool.h>

#include "base/error.h"
#include "core/annotations.h"
#include "core/group.h"

/*
 * The stamp: everything that shapes a pod's TF_CONFIG, as one line of JSON in the pod template's annotation
 * tfconfig.dev/group. The first stage writes it, the second reads it and needs nothing else, so that all pods of one
 * revision agree, whichever replica or version of the webhook answers. For example
 *
 *     {"version":1,"group":"chief=trainer.hl:1,worker=trainer.hl:2","start":0,"followsReplicas":true,"port":2222,
 *      "address":"fqdn","domain":"cluster.local","sparse":false,"overwrite":false}
 *
 * and, only where the user asked for it, "rpcLayer":"grpc", "containers":["tensorflow"] and "wait":true.
 *
 * A reader ignores members that it does not know; the version is raised only where ignoring would be wrong.
 */

enum { STAMP_VERSION = 1 };

struct stamp {
	struct group group;    /* resolved and numbered */
	unsigned start;        /* the sets' first ordinal */
	bool follows_replicas; /* a restart after a scale gives the own part its new size; else its counts are fixed */
	unsigned port;
	enum address_form address;
	const char *domain; /* the cluster domain; "": names end at .svc */
	bool sparse;
	bool overwrite;
	bool grpc;
	struct container_list containers;
	bool wait; /* an init container waits for the peers' names */
};

/* One line of JSON, or NULL where the arena is full. */
const char *stamp_encode(struct arena *arena, const struct stamp *stamp);

/*
 * Reads a stamp. Strict: returns -1 with ERROR_INVALID for one that it can't fully read, and then *ret_version is the
 * version that the stamp says, or 0 where it says none.
 */
MUST_CHECK int stamp_decode(struct arena *arena, const char *text, struct stamp *ret_stamp, int *ret_version,
			    struct error *err);

/* True where every field but the cluster domain is equal. */
bool stamp_equal(const struct stamp *a, const struct stamp *b);

#endif
