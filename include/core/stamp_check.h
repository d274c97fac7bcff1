/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_STAMP_CHECK_H
#define CORE_STAMP_CHECK_H

#include <stdbool.h>

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "core/config.h"
#include "core/workload.h"

/*
 * What stage 1 would make of a workload now, compared with the stamps that it carries. They differ where it was scaled,
 * as a scale does not pass stage 1, and where it never passed it: made before the webhook was there.
 */
enum stamp_state {
	STAMP_NONE,    /* none is wanted: not opted in, being deleted */
	STAMP_CURRENT, /* it says the same group, or has an unknown version and may; or there are no pods */
	STAMP_STALE,   /* a restart would write another one */
	STAMP_DENIED,  /* stage 1 would deny it as it is now */
};

struct stamp_check {
	enum stamp_state state;
	bool restarts;       /* tfconfig.dev/on-scale: it is to be restarted where the stamp is stale */
	const char *denial;  /* where it is denied */
	unsigned size;       /* pods of the group as it should be; 0 where it is denied, or there is none */
	unsigned was;        /* pods of the group in the stamp; 0 where no stamp can be read */
	bool rolls;          /* a restart restarts all pods, one after the other: not so with OnDelete or a partition */
	const char *service; /* the headless one; NULL: none */
};

/* `object` as the API server has it, with its names. The arena must be entered, and its state checked afterwards. */
void stamp_check(const struct workload_kind *kind, const cJSON *object, const struct review_config *config,
		 struct arena *arena, struct stamp_check *ret_check);

#endif
