#ifndef ROTATION_SELF_CHECK_H
#define ROTATION_SELF_CHECK_H

#include "base/compiler.h"
#include "base/error.h"

enum self_check {
	SELF_CHECK_VERIFIED,
	SELF_CHECK_REFUSED, /* the bundle does not verify what is served, or is no bundle */
	SELF_CHECK_UNKNOWN, /* the server could not be asked: it is busy, say */
};

/*
 * Asks a TLS server for its certificate as the API server would: connects to address:port, asks for `name` and verifies
 * the chain and the name with the CAs in `bundle` (PEM) alone. What the server says over HTTP does not count. At most
 * 3 s; obeys no proxy variable. Thread-safe.
 */
MUST_CHECK enum self_check self_check(const char *address, unsigned port, const char *name, const char *bundle,
				      struct error *err);

#endif
