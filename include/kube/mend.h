#ifndef KUBE_MEND_H
#define KUBE_MEND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/compiler.h"
#include "base/error.h"
#include "core/review.h"
#include "kube/client.h"

/*
 * One StatefulSet looked at, and mended where it needs to be. Internal to src/kube: reconciler.h is the thread that
 * decides when.
 */

/* What both need; borrowed. The arena is reset by each. */
struct mender {
	struct kube_client *client;
	const struct review_config *review;
	struct arena *arena;
};

enum mend_result {
	MEND_NOTHING,   /* all is well, or the set is gone */
	MEND_RESTARTED, /* its pods are restarted with a new group */
	MEND_TOLD,      /* somebody has to do something, as its event says */
	MEND_AGAIN,     /* another was faster: look again soon */
	MEND_FAILED,    /* err says why: try later */
	MEND_FORBIDDEN, /* it may not even be looked at */
};

struct mend_target {
	const char *namespace, *name;
	uint64_t told;  /* what was told before, 0 for nothing; the function updates it */
	bool restarted; /* it was, whatever came of it */
	unsigned was, size;
};

/* The stamp of the set. `was` and `size` are set where it is restarted: pods of the group. */
MUST_CHECK enum mend_result mend_stamp(const struct mender *mender, struct mend_target *target, struct error *err);

/* Its Service: MEND_NOTHING, or MEND_TOLD. */
MUST_CHECK enum mend_result mend_service(const struct mender *mender, struct mend_target *target, struct error *err);

#endif
