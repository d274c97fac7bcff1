/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NET_ADMISSION_H
#define NET_ADMISSION_H

#include <microhttpd.h>

#include "core/review.h"
#include "net/arenas.h"
#include "net/runtime.h"
#include "net/suspended_review.h"

/*
 * The TLS port: POST /mutate takes an AdmissionReview and returns its answer. Everything else gets an HTTP error with
 * one line of text. The request's body is read first, within bounds, because a client that is still sending may never
 * see an early answer.
 */

struct admission_config {
	unsigned threads;                    /* at least 1 */
	unsigned max_connections;            /* at least one per thread */
	unsigned idle_timeout;               /* seconds that a connection may be silent between two requests */
	struct review_config review;         /* its strings are borrowed */
	const struct cluster_lookup *lookup; /* finds objects in the cluster, borrowed; NULL: there is none */
};

struct admission {
	struct runtime *runtime; /* borrowed */
	struct admission_config config;
	struct arenas arenas;
	struct MHD_Daemon *daemon;
};

/*
 * Serves the listening socket and takes ownership of it, also on failure; after a failure it may stay open until the
 * process ends. The runtime must outlive the admission. On failure there is nothing to release.
 */
MUST_CHECK int admission_start(struct admission *admission, struct runtime *runtime,
			       const struct admission_config *config, int listen_fd, struct error *err);

/*
 * Closes all connections, cuts off requests that are under way, and ends the threads. For an orderly end, first have
 * the runtime refuse connections and wait until no deadline runs. No review may be suspended any more: the lookup must
 * have finished all it was asked for, and must resume at once what it is still asked.
 */
void admission_stop(struct admission *admission);

#endif
