/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PKI_OPENSSL_H
#define PKI_OPENSSL_H

#include <stddef.h>
#include <time.h>

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include "base/buf.h"
#include "base/compiler.h"
#include "base/error.h"

/*
 * What the files of src/pki share of OpenSSL: destructors for CLEANUP, errors, and PEM in and out of buffers. Internal
 * to src/pki, so that OpenSSL's types do not spread through other headers.
 */

static inline void free_x509(X509 **x509)
{
	X509_free(*x509);
}

/* OpenSSL overwrites the private part before it frees it. */
static inline void free_key(EVP_PKEY **key)
{
	EVP_PKEY_free(*key);
}

static inline void free_bio(BIO **bio)
{
	BIO_free(*bio);
}

/*
 * Returns -1 with "what: OpenSSL's reason", as ERROR_NO_MEMORY if that is the reason, else as ERROR_INVALID, and clears
 * the thread's queue of OpenSSL errors.
 */
int openssl_failed(const char *what, struct error *err);

/* The first certificate of a PEM text, or NULL. The caller owns it. */
MUST_CHECK X509 *openssl_read_certificate(const struct buf *pem, struct error *err);
MUST_CHECK X509 *openssl_parse_certificate(const char *pem, size_t len, struct error *err);

/* The first and the last second in which it is valid. */
MUST_CHECK int openssl_read_dates(const X509 *x509, time_t *ret_not_before, time_t *ret_not_after, struct error *err);

/* An unencrypted private key, or NULL. Never asks for a passphrase. The caller owns it. */
MUST_CHECK EVP_PKEY *openssl_read_key(const struct buf *pem, struct error *err);

/* Adds PEM to a buffer, all or nothing. */
MUST_CHECK int openssl_write_certificate(X509 *x509, struct buf *pem, struct error *err);
MUST_CHECK int openssl_write_key(const EVP_PKEY *key, struct buf *pem, struct error *err);

#endif
