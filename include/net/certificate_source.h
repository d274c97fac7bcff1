#ifndef NET_CERTIFICATE_SOURCE_H
#define NET_CERTIFICATE_SOURCE_H

#include "core/error.h"
#include "net/listen.h"
#include "net/runtime.h"

/*
 * Where the server's certificate comes from, if not from files: something that runs beside the server and gives it
 * certificates as it makes them.
 */
struct certificate_source {
	void *context;
	/*
	 * Called once, when the TLS port is listened on at `address`. From then on, in threads of its own, it may call
	 * runtime_use_certificate, runtime_set_not_ready and log_event, and count in the runtime's metrics.
	 */
	int (*start)(void *context, struct runtime *runtime, const struct listen_address *address, struct error *err);
	/* Ends what start began, if that succeeded: nothing is called any more when it returns. */
	void (*stop)(void *context);
};

#endif
