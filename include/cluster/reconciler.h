#ifndef CLUSTER_RECONCILER_H
#define CLUSTER_RECONCILER_H

#include <stdbool.h>

#include "base/budget.h"
#include "base/compiler.h"
#include "base/error.h"
#include "core/config.h"
#include "kube/client.h"

/*
 * Keeps groups true: a thread that follows all StatefulSets and restarts, as `kubectl rollout restart` does, those that
 * have opted in and carry another group than stage 1 would write now. Stage 1 then stamps them. Any number of replicas
 * may do so at once: a patch holds for the version that was looked at alone, so one of them wins.
 *
 * A restart is tried first as a dry run: where stage 1 would not stamp the set, or somebody denies it, no pod is touched.
 * What it does and can't do is told as events on the StatefulSet, also what is wrong with its Service.
 */

struct reconciler_config {
	struct kube_client_config client;
	struct review_config review; /* its strings are borrowed */
	struct budget *budget;       /* of memory for objects; borrowed */
	unsigned settle;             /* seconds that a set must not change before it is restarted */
};

/* Told from the thread. */
struct reconciler_observer {
	void *context;
	void (*restarted)(void *context, const char *namespace, const char *name, unsigned was, unsigned size);
	/* How many have opted in, and how often one was skipped: too large, or one too many. Told again and again. */
	void (*following)(void *context, unsigned long count, unsigned long skipped);
	/* A set could not be looked at or restarted; it is tried again, and not told again until it went well. */
	void (*failed)(void *context, const char *namespace, const char *name, const char *message);
	/* Why no set is followed for now, once; NULL: they are again. `forbidden`: for want of rights. */
	void (*trouble)(void *context, bool forbidden, const char *message);
};

struct reconciler; /* private */

/* NULL where it could not start. Both are copied. */
MUST_CHECK struct reconciler *reconciler_start(const struct reconciler_config *config,
					       const struct reconciler_observer *observer, struct error *err);

/* Ends the thread. NULL is allowed. */
void reconciler_stop(struct reconciler *reconciler);

#endif
