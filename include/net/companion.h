#ifndef NET_COMPANION_H
#define NET_COMPANION_H

#include "base/error.h"
#include "net/listen.h"
#include "net/runtime.h"

/*
 * What runs beside the server for as long as it serves: it brings certificates, say, as it makes them.
 */
struct companion {
	void *context;
	/*
	 * Called once, when the TLS port is listened on at `address`. From then on, in threads of its own, it may call
	 * runtime_use_certificate, runtime_set_not_ready and log_event, and count in the runtime's metrics.
	 */
	int (*start)(void *context, struct runtime *runtime, const struct listen_address *address, struct error *err);
	/* Ends what start began, if that succeeded: afterwards it calls nothing any more. The port is still open. */
	void (*stop)(void *context);
};

#endif
