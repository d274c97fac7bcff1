/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NET_PROBES_H
#define NET_PROBES_H

#include <microhttpd.h>

#include "net/runtime.h"

/*
 * The plain-HTTP port: /healthz is 200 while the process lives, /readyz is 200 while it wants requests, else 503 with
 * the reason, and /metrics is the page of metrics.
 *
 * Each connection takes one request, within the time that a request to the TLS port may take. When most of the few
 * connections are taken, a new one ends the oldest: a probe is answered before it could become the oldest.
 */

enum { PROBES_MAX_CONNECTIONS = 64 };

struct probes {
	struct runtime *runtime; /* borrowed */
	struct deadlines deadlines;
	struct MHD_Daemon *daemon;
};

/*
 * Serves the listening socket and takes ownership of it, also on failure; after a failure it may stay open until the
 * process ends. `request_timeout` is in seconds. The runtime must outlive the probes. On failure there is nothing to
 * release.
 */
MUST_CHECK int probes_start(struct probes *probes, struct runtime *runtime, unsigned request_timeout, int listen_fd,
			    struct error *err);

/* Closes all connections and ends the threads. */
void probes_stop(struct probes *probes);

#endif
