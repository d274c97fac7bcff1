#ifndef SERVE_RECONCILING_H
#define SERVE_RECONCILING_H

#include <stdbool.h>

#include "cluster/reconciler.h"
#include "net/companion.h"
#include "net/runtime.h"
#include "serve/cluster_rights.h"

/*
 * The reconciler of groups (src/kube) as a companion of the server (src/net): neither knows of the other, so the two meet
 * here.
 */

struct reconciling {
	struct reconciler_config config;
	struct cluster_rights *rights; /* borrowed, the caller's */
	struct runtime *runtime;
	bool in_trouble; /* the thread's */
	struct reconciler *reconciler;
};

/* Borrows the struct, whose config is to be filled before, but for the budget. */
struct companion reconciling_companion(struct reconciling *reconciling);

#endif
