/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PKI_MINT_H
#define PKI_MINT_H

#include <time.h>

#include "base/compiler.h"
#include "base/error.h"
#include "pki/keypair.h"
#include "pki/service_names.h"

/*
 * Makes keys and certificates: ECDSA P-256 with SHA-256, X.509 version 3, a random positive serial of up to 159 bits
 * (RFC 5280, 4.1.2.2, allows 20 octets).
 *
 * The clock is the caller's: `now` and `not_after`, the last valid second, are seconds since 1970 UTC. Validity starts
 * MINT_BACKDATE before now, for machines whose clocks are slow. ERROR_INVALID if not_after is not after now.
 *
 * Both replace the content of an initialised *ret_pair on success and leave it alone on failure; the caller releases
 * it. Thread-safe for different keypairs.
 */

enum {
	MINT_BACKDATE = 60 * 60, /* seconds */
	MINT_NAME_MAX = 64,      /* characters of a common name: RFC 5280, ub-common-name */
};

/* Common name of every CA that this program makes, so that each command recognizes the CAs of the others. */
#define MINT_CA_NAME "tfconfig-webhook CA"

/* A self-signed CA that may sign leaf certificates, but no other CA. Its name has 1 to MINT_NAME_MAX characters. */
MUST_CHECK int mint_ca(const char *name, time_t now, time_t not_after, struct keypair *ret_pair, struct error *err);

/*
 * A serving certificate for the names, signed by the CA. ERROR_INVALID if `ca` is not a CA or not a pair, or would
 * expire before the leaf: clients would refuse the leaf from that day on, whatever its own date says.
 */
MUST_CHECK int mint_leaf(const struct keypair *ca, const struct service_names *names, time_t now, time_t not_after,
			 struct keypair *ret_pair, struct error *err);

#endif
