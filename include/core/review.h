/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_REVIEW_H
#define CORE_REVIEW_H

#include <stddef.h>

#include "base/arena.h"
#include "core/config.h"
#include "core/related.h"

/*
 * The whole product in one function: the bytes of an AdmissionReview in, the bytes of the answer out. The server, the
 * `review` command, the data cases and the fuzzer all call it. It does no I/O and keeps nothing between two calls.
 *
 * https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/
 */

enum review_decision {
	REVIEW_ALLOWED, /* unchanged; there may be warnings */
	REVIEW_PATCHED, /* allowed with a patch */
	REVIEW_DENIED,
	REVIEW_REFUSED, /* no answer in the protocol's sense: the HTTP status is an error */
};

/*
 * The answer, and what logs and metrics say about it. Strings are never NULL ("" where unknown); they live in the
 * arena, or in static memory, and so end with arena_reset. What comes from the body may hold any valid UTF-8.
 */
struct review_answer {
	int http_status; /* 200; 400 not a review; 413 needs more than an arena holds; 503 no memory right now */
	const char *content_type; /* of the body */
	const char *body;
	size_t body_len;
	enum review_decision decision;
	int code; /* response.status.code of a denial, else http_status */
	const char *uid;
	const char *namespace;
	const char *resource; /* "pods", "statefulsets" or another, without its group */
	const char *name;
	const char *operation; /* as in the request: "CREATE" and so on */
	const char *role;      /* of the pod, where TF_CONFIG was made */
	int index;             /* -1 where there is no role */
	const char *message;   /* why it was denied or refused */
};

/* "allowed", "patched", "denied", "refused". */
const char *review_decision_name(enum review_decision decision);

/*
 * Answers one review of `len` bytes; body[len] must be '\0'. Always fills *ret_answer. The arena must be fresh or
 * reset, cJSON's hooks installed (arena_hook_cjson). Different arenas may be used by different threads at once.
 */
void review_answer(struct arena *arena, const char *body, size_t len, const struct review_config *config,
		   struct review_answer *ret_answer);

/*
 * Like review_answer, for callers that can query the cluster. StatefulSet reviews append the objects they want to
 * `related`; call again once those are filled in. The same body then gets the same decision and patch, and perhaps more
 * warnings. Objects that are too large for the arena are ignored.
 */
void review_answer_with(struct arena *arena, const char *body, size_t len, const struct review_config *config,
			struct related_list *related, struct review_answer *ret_answer);

#endif
