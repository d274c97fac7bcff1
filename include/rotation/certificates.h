/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ROTATION_CERTIFICATES_H
#define ROTATION_CERTIFICATES_H

#include "base/compiler.h"
#include "base/error.h"
#include "rotation/config.h"

/*
 * Certificates that manage themselves: a thread that keeps the shared CA in a Secret, the CA's certificate in the
 * registration, and a serving certificate for this replica, whose key is never stored. It takes the steps that
 * rotation.h decides, whenever an object changes, something becomes due, or half a minute has passed.
 *
 * The API server may be away for any length of time: the thread retries with growing delays, and everything stays as it
 * was, readiness included.
 */

struct certificates; /* private */

/* Starts the thread. Config and observer are copied, but not their strings. NULL on failure. */
MUST_CHECK struct certificates *certificates_start(const struct certificates_config *config,
						   const struct certificates_observer *observer, struct error *err);

/* Stops the thread, interrupting a request, and frees everything. NULL is allowed. */
void certificates_stop(struct certificates *certificates);

#endif
