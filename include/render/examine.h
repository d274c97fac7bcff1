/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_EXAMINE_H
#define RENDER_EXAMINE_H

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/error.h"
#include "core/review.h"

/*
 * Finds out what the webhook would say about the creation of an object, without a cluster: the object is put into an
 * AdmissionReview, the core answers it, and the patch in the answer is applied, as an API server does. An examiner is
 * used by one thread.
 */

/* Memory of one examination: for the question and for the answer. */
struct examiner {
	struct arena question;
	struct arena answer;
};

struct examination {
	const char *denial;    /* NULL: allowed */
	const cJSON *warnings; /* array of strings; NULL: none */
	const cJSON *patch;    /* array of operations; NULL: none */
	cJSON *object;         /* with the patch applied */
	const char *role;      /* of a pod that got its TF_CONFIG, else "" */
	unsigned index;
};

/*
 * Both arenas take their memory from the budget. Returns -1 with ERROR_NO_MEMORY; examiner_release may be called even
 * then.
 */
MUST_CHECK int examiner_init(struct examiner *examiner, struct budget *budget, struct error *err);
void examiner_release(struct examiner *examiner);

/* Frees what the last examination returned. */
void examiner_reset(struct examiner *examiner);

/*
 * Examines a StatefulSet or Pod, whose kind the object names, in a namespace. The object must live in the arena
 * `question`, and is changed. What is returned lives until the reset. Returns -1 if the core can't answer.
 */
MUST_CHECK int examine(struct examiner *examiner, const struct review_config *config, const char *namespace,
		       cJSON *object, struct examination *ret_examination, struct error *err);

#endif
