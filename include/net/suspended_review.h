/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NET_SUSPENDED_REVIEW_H
#define NET_SUSPENDED_REVIEW_H

#include <stddef.h>

#include <microhttpd.h>

#include "base/budget.h"
#include "base/compiler.h"
#include "core/related.h"

/*
 * A review that waits while objects its advice depends on are looked up in the cluster. Its connection is suspended
 * meanwhile, so that no thread waits. A client that goes away is noticed afterwards. The HTTP library must not be
 * stopped while a connection is suspended.
 *
 * The request's deadline runs on. If it expires meanwhile, the socket is only shut down: the request and the suspended
 * review stay until the connection is resumed, finds no client, and ends.
 */

struct suspended_review; /* private */

/* What looks objects up. */
struct cluster_lookup {
	void *context;
	/*
	 * Starts to look up each object of suspended_review_related, and returns at once. Exactly one
	 * suspended_review_resume must follow, whatever happens, in any thread; it may come during this call. Called by
	 * threads of the HTTP library, even before lookups are possible and after they no longer are.
	 */
	void (*ask)(void *context, struct suspended_review *review);
};

/* The objects to look up. The lookup may read the list until suspended_review_resume. */
const struct related_list *suspended_review_related(const struct suspended_review *review);

/* Report the i-th object. Its bytes are copied into memory of the budget; without memory the object stays unknown. */
void suspended_review_found(struct suspended_review *review, size_t i, const char *json, size_t len);
void suspended_review_missing(struct suspended_review *review, size_t i);

/*
 * Resumes the connection. The lookup must not use the review any more, and must not let the server stop before this
 * call returns.
 */
void suspended_review_resume(struct suspended_review *review);

/*
 * Suspends the connection and asks the lookup. To be called in the library's handler of the request, which is called
 * again once the connection is resumed, and owns the review. The list is copied. NULL without memory: the connection
 * is then not suspended.
 */
MUST_CHECK struct suspended_review *suspended_review_ask(const struct cluster_lookup *lookup, struct budget *budget,
							 struct MHD_Connection *handle,
							 const struct related_list *wanted);

/* What was found, for review_answer_with, which then wants nothing more. */
struct related_list *suspended_review_result(struct suspended_review *review);

/* NULL is allowed. */
void suspended_review_free(struct suspended_review *review);

#endif
