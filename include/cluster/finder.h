/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLUSTER_FINDER_H
#define CLUSTER_FINDER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "base/error.h"
#include "core/related.h"
#include "kube/client.h"

/*
 * Finds objects of the cluster by name, for reviews that can't wait long: a thread that takes one job after the other
 * and asks the API server for each object of a job. Every job ends within its timeout, counted from when it was handed
 * in. So if the API server hangs, jobs that wait one after the other take no longer than one of them.
 *
 * If the webhook may not read an object, nothing is asked for a while: jobs end at once, and their objects are unknown.
 *
 * An answer has at most 256 KiB, and there is one at a time: that and the client's memory is all that the finder holds.
 */

enum {
	FINDER_JOBS_MAX = 64, /* waiting, including the one under way */
	FINDER_OBJECT_MAX = 256 * 1024,
};

struct finder_config {
	struct kube_client_config client;
	unsigned timeout; /* milliseconds for one job */
	unsigned pause;   /* seconds after a refusal in which nothing is asked */
};

/* Callbacks, called in the thread. `job` is what finder_ask was given. */
struct finder_observer {
	void *context;
	/* The result for the job's i-th object. If it was found, json is its text, borrowed for the call. */
	void (*looked)(void *context, void *job, size_t i, enum related_state state, const char *json, size_t len);
	/* The job is over, and not used any more; `late`: time ran out for some of its objects. */
	void (*done)(void *context, void *job, bool late);
	/* The API server refuses objects: called once, and again with NULL when it allows one of the same kind. */
	void (*refused)(void *context, const char *message);
};

struct finder; /* private */

/* Starts the thread; config and observer are copied. NULL on failure. */
MUST_CHECK struct finder *finder_start(const struct finder_config *config, const struct finder_observer *observer,
				       struct error *err);

/*
 * Hands in a job; list and job are borrowed until it is done. False if too many are waiting: there will be no callback
 * for it then. Thread-safe.
 */
MUST_CHECK bool finder_ask(struct finder *finder, const struct related_list *list, void *job);

/* Ends all jobs, each with a call of `done`, then stops the thread and frees everything. NULL is allowed. */
void finder_stop(struct finder *finder);

#endif
