#ifndef PREFLIGHT_H
#define PREFLIGHT_H

#include <pthread.h>

#include "base/error.h"
#include "cluster/finder.h"
#include "cluster_rights.h"
#include "net/advice.h"
#include "net/companion.h"

/*
 * What finds objects in the cluster (src/kube) as the advisor of reviews (src/net): neither knows of the other, so the
 * two meet here.
 */

struct preflight {
	struct finder_config config;   /* the caller's, as are the next two */
	const struct error *problem;   /* why there is no cluster to look into; NULL: there is. Borrowed */
	struct cluster_rights *rights; /* borrowed */
	struct runtime *runtime;
	pthread_mutex_t lock; /* guards the finder, which is there from start to stop */
	struct finder *finder;
};

/* Where there is no cluster, there is no advisor, and the companion does no more than tell the log. */
void preflight_init(struct preflight *preflight);

/* Both borrow the struct, which has to stay where it is. */
bool preflight_advisor(struct preflight *preflight, struct advisor *ret_advisor);
struct companion preflight_companion(struct preflight *preflight);

#endif
