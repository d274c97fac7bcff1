#ifndef SERVE_ADVISOR_H
#define SERVE_ADVISOR_H

#include <pthread.h>

#include "base/error.h"
#include "cluster/finder.h"
#include "net/companion.h"
#include "net/suspended_review.h"
#include "serve/cluster_rights.h"

/*
 * The finder (src/cluster) as the cluster lookup of suspended reviews (src/net): neither knows of the other, so the two
 * meet here.
 */

struct advisor {
	struct finder_config config;   /* the caller's, as are the next two */
	const struct error *problem;   /* why there is no cluster to look into; NULL: there is. Borrowed */
	struct cluster_rights *rights; /* borrowed */
	struct runtime *runtime;
	pthread_mutex_t lock; /* guards the finder, which is there from start to stop */
	struct finder *finder;
};

/* Where there is no cluster there is no lookup, and the companion only writes that to the log. */
void advisor_init(struct advisor *advisor);

/* Both borrow the struct, which has to stay where it is. */
bool advisor_lookup(struct advisor *advisor, struct cluster_lookup *ret_lookup);
struct companion advisor_companion(struct advisor *advisor);

#endif
