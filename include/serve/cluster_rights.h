/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVE_CLUSTER_RIGHTS_H
#define SERVE_CLUSTER_RIGHTS_H

#include <stdatomic.h>

#include "net/runtime.h"

/*
 * Logs whether the webhook has the rights to query the cluster: once when the first user is refused, and once when no
 * user is any more. Thread-safe.
 */

enum rights_user { RIGHTS_ADVICE = 1, RIGHTS_RECONCILING = 2 };

/* Zeroed: no user has been refused. */
struct cluster_rights {
	atomic_uint refused; /* the rights_user bits of those refused */
};

/* `message` is the API server's refusal; NULL: the user has the rights again. */
void cluster_rights_note(struct cluster_rights *rights, enum rights_user user, struct log *log, const char *message);

/* Logs that there is no cluster to query, and why. */
void cluster_rights_note_absence(struct log *log, const char *message);

#endif
