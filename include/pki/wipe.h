/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PKI_WIPE_H
#define PKI_WIPE_H

#include <stdbool.h>

/*
 * Makes OpenSSL overwrite all memory before it frees it: reading a private key makes copies, which it would free
 * without wiping them. Call it once, at the start of the process, before anything uses OpenSSL and before any other
 * thread runs. False if that is too late; nothing is changed then.
 */
bool wipe_hook_openssl(void);

#endif
