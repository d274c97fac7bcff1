#ifndef CLUSTER_FINDER_H
#define CLUSTER_FINDER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "base/error.h"
#include "core/related.h"
#include "kube/client.h"

/*
 * Finds objects of the cluster by name, for reviews that can't wait for long: a thread that takes one job after the
 * other and asks the API server for each of its objects. It never takes longer over a job than it may, from when it
 * was asked; an API server that hangs costs all that wait behind each other no more than one.
 *
 * Where the webhook may not read an object, nothing is asked for a while: jobs end at once, and all is unknown.
 *
 * An answer has at most 256 KiB, and there is one at a time: with the client's own, that is what the finder holds.
 */

enum {
	FINDER_JOBS_MAX = 64, /* that wait, with the one under way */
	FINDER_OBJECT_MAX = 256 * 1024,
};

struct finder_config {
	struct kube_client_config client;
	unsigned timeout; /* milliseconds for a job */
	unsigned pause;   /* seconds in which nothing is asked after a refusal */
};

/* What the thread tells, called in it. `job` is what finder_ask was given. */
struct finder_observer {
	void *context;
	/* What became of looking for the job's i-th object. Where it was found, json is borrowed for the call. */
	void (*looked)(void *context, void *job, size_t i, enum related_state state, const char *json, size_t len);
	/* The job is over, and not touched any more; `late`: for some of its objects there was no time. */
	void (*done)(void *context, void *job, bool late);
	/* The API server refuses us objects, told once until it lets us have (NULL) one of the same kind. */
	void (*refused)(void *context, const char *message);
};

struct finder; /* private */

/* Starts the thread; config and observer are copied. On failure there is nothing to release. */
MUST_CHECK struct finder *finder_start(const struct finder_config *config, const struct finder_observer *observer,
				       struct error *err);

/*
 * Hands in a job; list and job are borrowed until it is done. False where too many wait: nothing will be told of it
 * then. From any thread.
 */
MUST_CHECK bool finder_ask(struct finder *finder, const struct related_list *list, void *job);

/* Ends the job under way and all that wait, which are done when it returns, and the thread. NULL is allowed. */
void finder_stop(struct finder *finder);

#endif
