#ifndef NET_SUSPENDED_REVIEW_H
#define NET_SUSPENDED_REVIEW_H

#include <stddef.h>

#include <microhttpd.h>

#include "base/budget.h"
#include "base/compiler.h"
#include "core/related.h"

/*
 * A review that waits while objects that its advice depends on are looked up in the cluster. Its connection is suspended
 * meanwhile, so that no thread waits: to the HTTP library it is as if the client had not sent everything yet. A client
 * that goes away is noticed afterwards. The library can't be stopped while a connection is suspended.
 *
 * The request's deadline runs on. If it ends the connection meanwhile, the socket is only shut down: the request and the
 * suspended review stay until the connection is resumed, finds no client, and ends.
 */

struct suspended_review; /* private */

/* What looks objects up. */
struct cluster_lookup {
	void *context;
	/*
	 * Begins to look for each object of suspended_review_related, and returns at once. Exactly one
	 * suspended_review_resume has to follow, in any thread, also in this call, whatever happens. Called by the
	 * threads of the HTTP library, also before and after the time in which objects can be looked up.
	 */
	void (*ask)(void *context, struct suspended_review *review);
};

/* What to look for; for the lookup, until suspended_review_resume. */
const struct related_list *suspended_review_related(const struct suspended_review *review);

/* Tells of the i-th object. Bytes are copied into memory of the budget; while there is none the object is unknown. */
void suspended_review_found(struct suspended_review *review, size_t i, const char *json, size_t len);
void suspended_review_missing(struct suspended_review *review, size_t i);

/* The connection goes on with it. The review must not be used any more, and its lookup must not let the server stop meanwhile. */
void suspended_review_resume(struct suspended_review *review);

/*
 * Suspends the connection and asks; to be called in the library's handler of the request, which is called again
 * afterwards, and then owns the review. The list is copied. NULL where there is no memory: the review goes on without.
 */
MUST_CHECK struct suspended_review *suspended_review_ask(const struct cluster_lookup *lookup, struct budget *budget,
							 struct MHD_Connection *handle,
							 const struct related_list *wanted);

/* What was found, for review_answer_with, which finds nothing more to ask for in it. */
struct related_list *suspended_review_result(struct suspended_review *review);

/* NULL is allowed. */
void suspended_review_free(struct suspended_review *review);

#endif
