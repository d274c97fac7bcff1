#ifndef KUBE_SELF_CHECK_H
#define KUBE_SELF_CHECK_H

#include "core/compiler.h"
#include "core/error.h"

/*
 * Asks a TLS server for its certificate as the API server would: connects to address:port, asks for `name` and verifies
 * the chain and the name with the CAs in `bundle` (PEM) alone. What the server says over HTTP does not count. At most
 * 3 s; obeys no proxy variable. Thread-safe.
 */
MUST_CHECK int self_check(const char *address, unsigned port, const char *name, const char *bundle, struct error *err);

#endif
