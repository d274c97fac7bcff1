#ifndef PKI_WIPE_H
#define PKI_WIPE_H

#include <stdbool.h>

/*
 * From then on OpenSSL overwrites all memory that it gives back: it reads a private key by way of copies that it frees
 * as they are. Call it once, at the start of the process, before anything uses OpenSSL and before any other thread runs.
 * False where that is too late; nothing is changed then.
 */
bool wipe_hook_openssl(void);

#endif
