/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVE_ADVISOR_H
#define SERVE_ADVISOR_H

#include <pthread.h>

#include "base/error.h"
#include "cluster/finder.h"
#include "net/companion.h"
#include "net/suspended_review.h"
#include "serve/cluster_rights.h"

/*
 * Connects the finder (src/cluster) to suspended reviews (src/net) as their cluster lookup. Neither knows the other, so
 * they meet here.
 */

struct advisor {
	struct finder_config config;   /* set by the caller, as are the next two */
	const struct error *problem;   /* why there is no cluster to query, borrowed; NULL: there is one */
	struct cluster_rights *rights; /* borrowed */
	struct runtime *runtime;
	pthread_mutex_t lock; /* guards the finder, which exists from start to stop */
	struct finder *finder;
};

/* Without a cluster there is no lookup, and the companion only logs that. */
void advisor_init(struct advisor *advisor);

/* Both borrow the struct, which must not move. advisor_lookup returns false if there is no cluster. */
bool advisor_lookup(struct advisor *advisor, struct cluster_lookup *ret_lookup);
struct companion advisor_companion(struct advisor *advisor);

#endif
