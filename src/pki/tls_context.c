/* SPDX-License-Identifier: Apache-2.0 */
#include "pki/tls_context.h"

#include <openssl/ssl.h>

void tls_context_wipe(void *ssl_ctx)
{
	SSL_CTX_set_options(ssl_ctx, SSL_OP_CLEANSE_PLAINTEXT);
}
