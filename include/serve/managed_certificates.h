#ifndef SERVE_MANAGED_CERTIFICATES_H
#define SERVE_MANAGED_CERTIFICATES_H

#include "net/companion.h"
#include "rotation/certificates.h"

/*
 * Certificates that manage themselves (src/kube) as the source of the server's certificate (src/net): neither knows of
 * the other, so the two meet here.
 */

struct managed_certificates {
	struct certificates_config config; /* the caller's, but for host and port */
	char host[LISTEN_TEXT_MAX];
	struct runtime *runtime;
	struct certificates *certificates;
};

/* The companion for server_run; it borrows the struct, whose config is to be filled before. */
struct companion managed_certificates_companion(struct managed_certificates *managed);

#endif
