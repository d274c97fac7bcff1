/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLUSTER_RECONCILER_H
#define CLUSTER_RECONCILER_H

#include <stdbool.h>

#include "base/budget.h"
#include "base/compiler.h"
#include "base/error.h"
#include "core/config.h"
#include "kube/client.h"

/*
 * Keeps groups up to date: a thread that follows all StatefulSets and restarts, as `kubectl rollout restart` does,
 * those that have opted in and carry another group than stage 1 would write now. Stage 1 then stamps them. Any number
 * of replicas may do so at once: a patch applies only to the version that was read, so one of them wins.
 *
 * A restart is first tried as a dry run: if stage 1 would not stamp the set, or the restart is denied, no pod is
 * touched. Events on the StatefulSet report what was done and what could not be done, and what is wrong with its
 * Service.
 */

struct reconciler_config {
	struct kube_client_config client;
	struct review_config review; /* its strings are borrowed */
	struct budget *budget;       /* for the memory of objects; borrowed */
	unsigned settle;             /* seconds without a change before a set is restarted */
};

/* Callbacks, called in the thread. Strings are borrowed for the call. */
struct reconciler_observer {
	void *context;
	/* A set was restarted; its group had `was` pods (0: none) and now has `size`. */
	void (*restarted)(void *context, const char *namespace, const char *name, unsigned was, unsigned size);
	/* How many sets have opted in, and how often one was skipped: too large, or one too many. Called often. */
	void (*following)(void *context, unsigned long count, unsigned long skipped);
	/* A set could not be read or restarted. Tried again; reported again only after a success or a change. */
	void (*failed)(void *context, const char *namespace, const char *name, const char *message);
	/*
	 * Why no set is followed for now, once for each problem; NULL: they are again. `forbidden`: for lack of rights.
	 */
	void (*trouble)(void *context, bool forbidden, const char *message);
};

struct reconciler; /* private */

/* Starts the thread; config and observer are copied. NULL on failure. */
MUST_CHECK struct reconciler *reconciler_start(const struct reconciler_config *config,
					       const struct reconciler_observer *observer, struct error *err);

/* Stops the thread and frees everything. NULL is allowed. */
void reconciler_stop(struct reconciler *reconciler);

#endif
