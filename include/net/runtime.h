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
 * What the two ports share while the server runs. It is made and ended by net/server.c and borrowed by all else; every
 * part of it is thread-safe.
 */
struct runtime {
	struct log *log;
	struct metrics metrics;
	struct budget budget;
	struct credentials_store credentials;
	_Atomic(const char *) not_ready; /* why not, as far as the certificate's source knows; NULL: nothing */
	struct deadlines deadlines;      /* of the TLS port */
	atomic_bool draining;            /* about to end: not ready, and every answer closes its connection */
	atomic_bool refusing;            /* new connections to the TLS port are closed at once */
};

/* NULL while the server wants requests, else why not: static memory. */
const char *runtime_not_ready(struct runtime *runtime);

/* Says why the server should get no requests, or NULL: static memory. */
void runtime_set_not_ready(struct runtime *runtime, const char *reason);

/*
 * Serves a pair, with the caller's reference, from now on: see credentials_store_replace, which can refuse it. Warns
 * where it is out of date; `name` stands for it in the log.
 */
MUST_CHECK int runtime_use_certificate(struct runtime *runtime, struct credentials *credentials, const char *name,
				       struct error *err);

/*
 * libmicrohttpd's MHD_OPTION_EXTERNAL_LOGGER, with a struct runtime as its context: counts the errors that the library
 * answers by itself, and logs what it says at level debug.
 */
void runtime_library_log(void *runtime, const char *format, va_list args) PRINTF_LIKE(2, 0);

#endif
