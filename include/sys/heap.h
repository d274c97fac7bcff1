/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SYS_HEAP_H
#define SYS_HEAP_H

#include <stddef.h>

/*
 * Keeps the C library from holding on to freed memory. Free memory between blocks in use would stay with the process,
 * in addition to what the budget lets new requests take.
 */

/* Call it once, before other threads run. */
void heap_init(void);

/* Gives memory back that was only needed during the start. */
void heap_started(void);

/*
 * Reports that bytes were freed. Now and then this gives free memory back to the system, which takes a millisecond.
 * Thread-safe.
 */
void heap_freed(size_t bytes);

#endif
