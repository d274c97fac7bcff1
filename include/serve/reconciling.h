/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVE_RECONCILING_H
#define SERVE_RECONCILING_H

#include <stdbool.h>

#include "cluster/reconciler.h"
#include "net/companion.h"
#include "net/runtime.h"
#include "serve/cluster_rights.h"

/*
 * Connects the reconciler of groups (src/cluster) to the server (src/net) as a companion. Neither knows the other, so
 * they meet here.
 */

struct reconciling {
	struct reconciler_config config; /* set by the caller, except the budget */
	struct cluster_rights *rights;   /* set by the caller, borrowed */
	struct runtime *runtime;
	bool in_trouble; /* used by the reconciler's thread only */
	struct reconciler *reconciler;
};

/* The companion for server_run. It borrows the struct, whose config must be filled in first. */
struct companion reconciling_companion(struct reconciling *reconciling);

#endif
