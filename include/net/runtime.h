/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NET_RUNTIME_H
#define NET_RUNTIME_H

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/budget.h"
#include "base/compiler.h"
#include "net/credentials.h"
#include "net/deadlines.h"
#include "net/log.h"
#include "net/metrics.h"

/*
 * What the two ports share while the server runs. net/server.c creates and releases it, and everything else borrows it.
 * Every part of it is thread-safe.
 */
struct runtime {
	struct log *log;
	struct metrics metrics;
	struct budget budget;
	struct credentials_store credentials;
	_Atomic(const char *) not_ready; /* why not, as set by the source of the certificate; NULL: ready */
	struct deadlines deadlines;      /* of the TLS port */
	atomic_bool draining;            /* about to stop: not ready, and every answer closes its connection */
	atomic_bool refusing;            /* new connections to the TLS port are closed at once */
};

/* Why the server should get no requests, in static memory; NULL: it is ready. */
const char *runtime_not_ready(struct runtime *runtime);

/* Sets why the server should get no requests; NULL: no reason. The text must be static. */
void runtime_set_not_ready(struct runtime *runtime, const char *reason);

/*
 * Serves a pair from now on and takes the caller's reference, also on failure: credentials_store_replace may refuse the
 * pair. Logs a warning if it is outside its dates; `name` is its name in the log and in errors.
 */
MUST_CHECK int runtime_use_certificate(struct runtime *runtime, struct credentials *credentials, const char *name,
				       struct error *err);

/*
 * libmicrohttpd's MHD_OPTION_EXTERNAL_LOGGER, with a struct runtime as its context: counts the HTTP errors that the
 * library answers by itself, and logs its messages at level debug.
 */
void runtime_library_log(void *runtime, const char *format, va_list args) PRINTF_LIKE(2, 0);

#endif
