/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PKI_TLS_CONTEXT_H
#define PKI_TLS_CONTEXT_H

/*
 * A setting of OpenSSL that libcurl does not offer.
 */

/*
 * Makes every connection of the context, an SSL_CTX, overwrite decrypted data as soon as it was handed on. Otherwise
 * the data stays in memory until the connection receives more.
 */
void tls_context_wipe(void *ssl_ctx);

#endif
