/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NET_COMPANION_H
#define NET_COMPANION_H

#include "base/error.h"
#include "net/listen.h"
#include "net/runtime.h"

/*
 * What runs next to the server for as long as it serves, for instance the source of its certificates.
 */
struct companion {
	void *context;
	/*
	 * Called once, when the TLS port listens on `address`. From then on its own threads may call
	 * runtime_use_certificate, runtime_set_not_ready and log_event, and count in the runtime's metrics.
	 */
	int (*start)(void *context, struct runtime *runtime, const struct listen_address *address, struct error *err);
	/* Called if start succeeded, while the port is still open. After it returns, nothing is called any more. */
	void (*stop)(void *context);
};

#endif
