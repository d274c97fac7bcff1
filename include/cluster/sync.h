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
 * One StatefulSet looked at, and mended where it needs to be. Internal to src/kube: reconciler.h is the thread that
 * decides when.
 */

/* What both need; borrowed. The arena is reset by each. */
struct syncer {
	struct kube_client *client;
	const struct review_config *review;
	struct arena *arena;
};

enum sync_result {
	SYNC_NOTHING,   /* all is well, or the set is gone */
	SYNC_RESTARTED, /* its pods are restarted with a new group */
	SYNC_REPORTED,  /* somebody has to do something, as its event says */
	SYNC_AGAIN,     /* another was faster: look again soon */
	SYNC_FAILED,    /* err says why: try later */
	SYNC_FORBIDDEN, /* it may not even be looked at */
};

struct sync_target {
	const char *namespace, *name;
	uint64_t reported; /* event_number of the last event on this, 0 for none; the function updates it */
	bool restarted;    /* it was, whatever came of it */
	unsigned was, size;
};

/* The stamp of the set. `was` and `size` are set where it is restarted: pods of the group. */
MUST_CHECK enum sync_result sync_stamp(const struct syncer *syncer, struct sync_target *target, struct error *err);

/* Its Service: SYNC_NOTHING, or SYNC_REPORTED. */
MUST_CHECK enum sync_result sync_service(const struct syncer *syncer, struct sync_target *target, struct error *err);

#endif
