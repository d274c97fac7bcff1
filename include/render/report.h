/* SPDX-License-Identifier: Apache-2.0 */
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
 * What `render` finds out about one StatefulSet, and about one of its pods. print.h describes how that is printed.
 */

struct set_report {
	const struct manifest *manifest;
	const char *denial;  /* NULL: allowed */
	const cJSON *object; /* with its stamps */
	cJSON *warnings;     /* array of strings: from stage 1, on the Service, on other sets of the group */
	bool injected;       /* it opted in, and was not denied */
	bool concerned;      /* the webhook changes it, or has something to say about it */
	bool has_group;      /* it was stamped, which takes replicas */
	struct stamp stamp;  /* if it has a group */
	unsigned first;      /* ordinal of the first pod; 0 if the set was denied */
	unsigned replicas;   /* likewise */
};

struct pod_report {
	const char *name;
	const char *denial; /* NULL: allowed */
	const char *role;   /* NULL if it was denied */
	unsigned index;
	const char *tf_config; /* NULL: no container has one */
	const cJSON *labels;
};

/*
 * Examines a set. Adds notes on what could not be checked because it is not among the manifests. The report lives until
 * the examiner is reset.
 */
MUST_CHECK int report_set(struct examiner *examiner, const struct review_config *config, struct manifests *manifests,
			  const struct manifest *manifest, struct set_report *ret_report, struct error *err);

/* Examines a pod of a set that has a group. `examiner` must not be the one that holds the set's report. */
MUST_CHECK int report_pod(struct examiner *examiner, const struct review_config *config, const struct set_report *set,
			  unsigned ordinal, struct pod_report *ret_report, struct error *err);

#endif
