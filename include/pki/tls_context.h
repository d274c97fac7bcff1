#ifndef PKI_TLS_CONTEXT_H
#define PKI_TLS_CONTEXT_H

/*
 * What libcurl leaves to OpenSSL alone.
 */

/*
 * Makes every connection of the context, an SSL_CTX, overwrite what it has decrypted as soon as it was handed on; else
 * it stays in memory until the connection has something new to say.
 */
void tls_context_wipe(void *ssl_ctx);

#endif
