/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ROTATION_SELF_CHECK_H
#define ROTATION_SELF_CHECK_H

#include "base/compiler.h"
#include "base/error.h"

enum self_check {
	SELF_CHECK_VERIFIED,
	SELF_CHECK_REFUSED, /* the bundle does not verify the certificate, or is not a bundle */
	SELF_CHECK_UNKNOWN, /* the server did not answer; perhaps it is busy */
};

/*
 * Checks a TLS server's certificate as the API server would: connects to address:port, asks for `name`, and verifies
 * the chain and the name with only the CAs in `bundle` (PEM). Sends no HTTP request. Takes at most 3 s; ignores proxy
 * variables. err says why the result is not SELF_CHECK_VERIFIED. Thread-safe.
 */
MUST_CHECK enum self_check self_check(const char *address, unsigned port, const char *name, const char *bundle,
				      struct error *err);

#endif
