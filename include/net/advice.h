#ifndef NET_ADVICE_H
#define NET_ADVICE_H

#include <stddef.h>

#include <microhttpd.h>

#include "base/budget.h"
#include "base/compiler.h"
#include "core/related.h"

/*
 * A review that waits while somebody looks into the cluster for it. Its connection is suspended meanwhile, so that no
 * thread waits: to the HTTP library it is as if the client had not sent all, and that the client goes away is noticed
 * afterwards. The library can't be stopped while a connection is suspended.
 *
 * The request's deadline runs on. Should it end the connection meanwhile, the socket is shut down and no more: request
 * and advice stay until the connection is resumed, finds no client, and ends.
 */

struct advice; /* private */

/* Who looks. */
struct advisor {
	void *context;
	/*
	 * Begins to look for each object of advice_related, and returns at once. Exactly one advice_done has to follow,
	 * in any thread, also in this call, whatever happens. Called by the threads of the HTTP library, also before
	 * and after the time in which the advisor can look.
	 */
	void (*ask)(void *context, struct advice *advice);
};

/* What to look for; for the advisor, until advice_done. */
const struct related_list *advice_related(const struct advice *advice);

/* Tells of the i-th object. Bytes are copied into memory of the budget; while there is none the object is unknown. */
void advice_found(struct advice *advice, size_t i, const char *json, size_t len);
void advice_missing(struct advice *advice, size_t i);

/* The review goes on. The advice must not be used any more, and its advisor must not let the server stop meanwhile. */
void advice_done(struct advice *advice);

/*
 * Suspends the connection and asks; to be called in the library's handler of the request, which is called again
 * afterwards, and then owns the advice. The list is copied. NULL where there is no memory: the review goes on without.
 */
MUST_CHECK struct advice *advice_ask(const struct advisor *advisor, struct budget *budget,
				     struct MHD_Connection *handle, const struct related_list *wanted);

/* What was found, for review_answer_with, which finds nothing more to ask for in it. */
struct related_list *advice_result(struct advice *advice);

/* NULL is allowed. */
void advice_free(struct advice *advice);

#endif
