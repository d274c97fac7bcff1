#ifndef ROTATION_CERTIFICATES_H
#define ROTATION_CERTIFICATES_H

#include "base/compiler.h"
#include "base/error.h"
#include "rotation/config.h"

/*
 * Certificates that manage themselves: a thread that keeps the shared CA in a Secret, its certificate in the
 * registration, and a serving certificate for this replica, whose key is never stored. It takes the steps that
 * rotation.h decides, whenever an object changes, something falls due, or half a minute has passed.
 *
 * The API server may be away for as long as it likes: the thread asks again, later and later, and what was true before
 * stays so, readiness too.
 */

struct certificates; /* private */

/* Starts the thread; config and observer are copied. On failure there is nothing to release. */
MUST_CHECK struct certificates *certificates_start(const struct certificates_config *config,
						   const struct certificates_observer *observer, struct error *err);

/* Ends it, also in the middle of a request. NULL is allowed. */
void certificates_stop(struct certificates *certificates);

#endif
