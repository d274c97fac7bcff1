#ifndef NET_ADMISSION_H
#define NET_ADMISSION_H

#include <microhttpd.h>

#include "core/review.h"
#include "net/arenas.h"
#include "net/runtime.h"
#include "net/suspended_review.h"

/*
 * The TLS port: POST /mutate takes an AdmissionReview and gets its answer. All else gets an HTTP error with one line of
 * text; the request's body is read first, within bounds, because a client that is still sending may never see an answer
 * that comes early.
 */

struct admission_config {
	unsigned threads;                    /* at least 1 */
	unsigned max_connections;            /* at least one a thread */
	unsigned idle_timeout;               /* seconds that a connection may keep silent between two requests */
	struct review_config review;         /* its strings are borrowed */
	const struct cluster_lookup *lookup; /* finds objects of the cluster, borrowed; NULL: nothing does */
};

struct admission {
	struct runtime *runtime; /* borrowed */
	struct admission_config config;
	struct arenas arenas;
	struct MHD_Daemon *daemon;
};

/*
 * Serves the listening socket, of which it takes ownership, also on failure; only then it may stay open until the
 * process ends. The runtime needs a loaded certificate and must outlive the admission. On failure there is nothing to
 * release.
 */
MUST_CHECK int admission_start(struct admission *admission, struct runtime *runtime,
			       const struct admission_config *config, int listen_fd, struct error *err);

/*
 * The lookup must be done with all that it was asked for, and be so at once with all that it is still asked for.
 * Closes all connections, cuts requests that are under way, and ends the threads. For an orderly end first let the
 * runtime refuse connections and wait until none has a deadline.
 */
void admission_stop(struct admission *admission);

#endif
