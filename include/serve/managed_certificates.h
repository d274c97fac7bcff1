/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVE_MANAGED_CERTIFICATES_H
#define SERVE_MANAGED_CERTIFICATES_H

#include "net/companion.h"
#include "rotation/certificates.h"

/*
 * Connects self-managed certificates (src/rotation) to the server (src/net) as the source of its certificate. Neither
 * knows the other, so they meet here.
 */

struct managed_certificates {
	struct certificates_config config; /* set by the caller, except host and port */
	char host[LISTEN_TEXT_MAX];
	struct runtime *runtime;
	struct certificates *certificates;
};

/* The companion for server_run. It borrows the struct, whose config must be filled in first. */
struct companion managed_certificates_companion(struct managed_certificates *managed);

#endif
