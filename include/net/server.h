/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NET_SERVER_H
#define NET_SERVER_H

#include <stddef.h>

#include "base/error.h"
#include "net/admission.h"
#include "net/companion.h"
#include "net/listen.h"
#include "net/log.h"

/*
 * The life of the server: start, serve, reload, drain, stop.
 *
 * If the certificate comes from files, SIGHUP or a change of the files reloads it. SIGTERM and SIGINT start the drain:
 * the server is no longer ready but keeps serving, closing each connection with its answer, until the drain time is
 * over or the signal comes again. Then it accepts no more connections, finishes what is under way, and stops.
 *
 * Companions are started in order once the ports are open, and stopped in reverse order before the ports close.
 */

enum { SERVER_COMPANIONS_MAX = 4 };

struct server_config {
	const char *certificate_file, *key_file; /* NULL: a companion provides the certificate */
	struct companion companions[SERVER_COMPANIONS_MAX];
	size_t companion_count;
	struct listen_address listen, metrics_listen;
	struct admission_config admission;
	size_t memory;            /* bytes that all connections and requests may hold together */
	unsigned drain;           /* seconds */
	unsigned request_timeout; /* seconds for a handshake, and for a request until its answer is sent */
	unsigned reload_interval; /* seconds between two checks of the certificate's files */
	enum log_level log_level;
};

/*
 * Serves until a signal ends it. Returns 0 then, or -1 if it could not start. To be called once, in the only thread of
 * the process; signals stay blocked.
 */
MUST_CHECK int server_run(const struct server_config *config, struct error *err);

#endif
