#ifndef CORE_STATEFULSET_H
#define CORE_STATEFULSET_H

#include "core/config.h"
#include "core/related.h"
#include "core/request.h"
#include "core/verdict.h"

/*
 * Stage 1: a StatefulSet is created or updated. Reads its annotations, compiles the group and stamps the pod template,
 * or takes the stamps away, or denies. What it decides depends on the object and the one before it alone, so that
 * applying an object twice changes nothing, and no upgrade, flag or restart of the webhook rolls a set.
 *
 * The warnings, and they alone, also depend on what was found of the objects in `related` (NULL: nobody will look),
 * which the set adds to.
 */
void statefulset_admit(const struct request *request, const struct review_config *config, struct related_list *related,
		       struct verdict *verdict);

/*
 * What stage 1 would make of a StatefulSet now, compared with the stamps that it carries. They differ where the set was
 * scaled, as a scale does not pass stage 1, and where it never passed it: made before the webhook was there.
 */
enum stamp_state {
	STAMP_NONE,    /* none is wanted: not opted in, being deleted */
	STAMP_CURRENT, /* it says the same group, or may, in a version that is unknown; or there are no replicas */
	STAMP_STALE,   /* a restart would write another one */
	STAMP_DENIED,  /* stage 1 would deny the set as it is now */
};

struct stamp_check {
	enum stamp_state state;
	bool restarts;       /* tfconfig.dev/on-scale: the set is to be restarted where the stamp is stale */
	const char *denial;  /* where it is denied */
	unsigned size;       /* pods of the group as it should be; 0 where it is denied, or there is none */
	unsigned was;        /* pods of the group that the stamp names; 0 where there is no stamp that can be read */
	bool rolls;          /* a restart restarts all pods, one after the other: not so with OnDelete or a partition */
	const char *service; /* spec.serviceName; NULL: none */
};

/* `object` as the API server has it, with its names. The arena must be entered, and its state looked at afterwards. */
void statefulset_check_stamp(const cJSON *object, const struct review_config *config, struct arena *arena,
			     struct stamp_check *ret_check);

#endif
