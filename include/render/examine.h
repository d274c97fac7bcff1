#ifndef RENDER_EXAMINE_H
#define RENDER_EXAMINE_H

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/error.h"
#include "core/review.h"

/*
 * What the webhook would say about an object that is created, without a cluster: the object is put into an
 * AdmissionReview, the core answers it, and the patch of the answer is applied, as an API server does.
 */

/* Memory of one examination: of the question, and of the answer. */
struct examiner {
	struct arena question;
	struct arena answer;
};

struct examination {
	const char *denial;    /* NULL: it is allowed */
	const cJSON *warnings; /* array of strings; NULL: none */
	const cJSON *patch;    /* array of operations; NULL: none */
	cJSON *object;         /* with the patch */
	const char *role;      /* of a pod that got its TF_CONFIG, else "" */
	unsigned index;
};

/*
 * Both arenas take their memory from the budget. Returns -1 where it can't be had; examiner_release is still allowed.
 */
MUST_CHECK int examiner_init(struct examiner *examiner, struct budget *budget, struct error *err);
void examiner_release(struct examiner *examiner);

/* Ends what the last examination returned. */
void examiner_reset(struct examiner *examiner);

/*
 * Examines a StatefulSet or Pod, whose kind the object names, in a namespace. The object must live in the arena
 * `question`, and is changed. Strings and trees live up to the reset. Returns -1 where the core could not answer.
 */
MUST_CHECK int examine(struct examiner *examiner, const struct review_config *config, const char *namespace,
		       cJSON *object, struct examination *ret_examination, struct error *err);

#endif
