#ifndef RENDER_REPORT_H
#define RENDER_REPORT_H

#include <stdbool.h>

#include <cjson/cJSON.h>

#include "base/error.h"
#include "core/review.h"
#include "core/stamp.h"
#include "render/examine.h"
#include "render/manifests.h"

/*
 * What `render` finds out about one StatefulSet, and about a pod of it. What a printer makes of it is in print.h.
 */

struct set_report {
	const struct manifest *manifest;
	const char *denial;  /* NULL: it is allowed */
	const cJSON *object; /* with the stamps */
	cJSON *warnings;     /* array of strings: stage 1's, of the Service, of other sets of the group */
	bool injected;       /* it opted in, and was not denied */
	bool concerned;      /* the webhook has something to do with it, or to say about it */
	bool has_group;      /* it was stamped, as it has replicas */
	struct stamp stamp;  /* where it has a group */
	unsigned first;      /* ordinal, and the number of pods; both 0 where it was denied */
	unsigned replicas;
};

struct pod_report {
	const char *name;
	const char *denial; /* NULL: it is allowed */
	const char *role;   /* likewise of a pod that is denied */
	unsigned index;
	const char *tf_config; /* NULL: no container has one */
	const cJSON *labels;
};

/*
 * Examines a set. Notes what could not be checked, as it is not among the manifests. The report lives up to the
 * examiner's reset.
 */
MUST_CHECK int report_set(struct examiner *examiner, const struct review_config *config, struct manifests *manifests,
			  const struct manifest *manifest, struct set_report *ret_report, struct error *err);

/* Examines a pod of a set that has a group; `examiner` is another one than the set's. */
MUST_CHECK int report_pod(struct examiner *examiner, const struct review_config *config, const struct set_report *set,
			  unsigned ordinal, struct pod_report *ret_report, struct error *err);

#endif
