/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLUSTER_SYNC_H
#define CLUSTER_SYNC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/compiler.h"
#include "base/error.h"
#include "core/config.h"
#include "kube/client.h"

/*
 * Checks one StatefulSet, and fixes or reports what is wrong with it. Internal to src/cluster, and used only by the
 * thread of reconciler.h, which decides when.
 */

/* What both functions need; borrowed. Each resets the arena. */
struct syncer {
	struct kube_client *client;
	const struct review_config *review;
	struct arena *arena;
};

enum sync_result {
	SYNC_NOTHING,   /* all is well, or the set is gone */
	SYNC_RESTARTED, /* its pods are restarted with a new group */
	SYNC_REPORTED,  /* a user has to act, as the event on the set says */
	SYNC_AGAIN,     /* another change was faster: try again soon */
	SYNC_FAILED,    /* err says why: try again later */
	SYNC_FORBIDDEN, /* the webhook may not even read it; err says so */
};

struct sync_target {
	const char *namespace, *name;
	uint64_t reported;  /* event_number of the last event on this, 0 for none; the function updates it */
	bool restarted;     /* set if the set was restarted, whatever the result */
	unsigned was, size; /* with SYNC_RESTARTED: pods of the group before and after */
};

/* Checks the stamp of the set, and restarts it if that is stale. */
MUST_CHECK enum sync_result sync_stamp(const struct syncer *syncer, struct sync_target *target, struct error *err);

/* Checks its Service. Never SYNC_RESTARTED. */
MUST_CHECK enum sync_result sync_service(const struct syncer *syncer, struct sync_target *target, struct error *err);

#endif
