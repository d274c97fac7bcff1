/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PKI_EXTENSION_H
#define PKI_EXTENSION_H

#include <openssl/x509.h>

#include "base/compiler.h"
#include "base/error.h"
#include "pki/service_names.h"

/*
 * The X.509 extensions of the certificates that mint.h makes: RFC 5280, section 4.2. Internal to src/pki. The
 * certificate must already have its public key.
 */

/* CA:TRUE with a path length of 0 and keyCertSign, cRLSign (both critical), and the subject key identifier. */
MUST_CHECK int extension_add_ca(X509 *certificate, struct error *err);

/*
 * CA:FALSE and digitalSignature (both critical), serverAuth, the names, and both key identifiers; the CA must have a
 * subject key identifier.
 */
MUST_CHECK int extension_add_leaf(X509 *certificate, X509 *ca, const struct service_names *names, struct error *err);

#endif
