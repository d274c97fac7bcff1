/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_WATCH_H
#define KUBE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/compiler.h"
#include "base/error.h"
#include "kube/backoff.h"
#include "kube/api.h"
#include "kube/transfer.h"
#include "kube/watch_events.h"

/*
 * One watch of a client: opened, followed, and opened again when it ends. Internal to src/kube; belongs to the thread
 * of the client. Times are milliseconds of the monotonic clock.
 */

struct watch {
	char *path; /* owned; NULL: not in use */
	struct transfer transfer;
	struct watch_events events;
	struct backoff backoff;
	uint64_t opened_at;
	uint64_t due; /* closed: when to open it; open: by when the answer must have started */
	bool answered;
	bool news;            /* something may have changed, and the client has not taken that yet */
	struct error problem; /* why it is not open; ERROR_NONE before the first attempt and while it is open */
};

enum { WATCH_STEADY = 5000 }; /* milliseconds: a server that ends a watch sooner might do so forever */

/* Seconds after which the API server is asked to end a watch; random, so that watches do not end together. */
unsigned watch_life(void);

MUST_CHECK int watch_init(struct watch *watch, const char *path, struct error *err);
void watch_release(struct watch *watch, CURLM *multi);

/* Opens it when that is due, gives up on an answer that does not start in time, and notes what was received. */
void watch_tend(struct watch *watch, const struct transfer_context *context, uint64_t now);

/* Call it when libcurl is done with the transfer. */
void watch_ended(struct watch *watch, const struct transfer_context *context, CURLcode code, uint64_t now);

/* When to tend it, even if nothing was received. */
uint64_t watch_next(const struct watch *watch);

/* Whether something may have changed since the last call: an event came, or the watch was opened. */
bool watch_take_news(struct watch *watch);

#endif
