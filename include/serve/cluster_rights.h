#ifndef SERVE_CLUSTER_RIGHTS_H
#define SERVE_CLUSTER_RIGHTS_H

#include <stdatomic.h>

#include "net/runtime.h"

/*
 * What the log says of the rights to look into the cluster: once for all that need them, and once when they are there
 * again. Thread-safe.
 */

enum rights_user { RIGHTS_ADVICE = 1, RIGHTS_RECONCILING = 2 };

/* Zeroed, nobody has been refused. */
struct cluster_rights {
	atomic_uint refused; /* rights_user, together */
};

/* `message` is what the API server said; NULL: it lets the user again. */
void cluster_rights_note(struct cluster_rights *rights, enum rights_user user, struct log *log, const char *message);

/* Says that there is no cluster to look into, and why. */
void cluster_rights_note_absence(struct log *log, const char *message);

#endif
