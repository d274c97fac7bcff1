/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NET_REPLY_H
#define NET_REPLY_H

#include <stdbool.h>
#include <stddef.h>

#include <microhttpd.h>

#include "base/budget.h"
#include "base/compiler.h"

/*
 * Makes and queues HTTP answers. The results are libmicrohttpd's: MHD_NO means that the connection must end.
 */

struct reply {
	unsigned status;
	const char *content_type;
	const char *header, *value; /* an extra header; NULL: none */
	bool close;                 /* the connection ends with this answer */
};

/* A reply with this status, for a 503 also with Retry-After. The caller fills in the rest. */
struct reply reply_of(unsigned status, bool close);

/* Queues one line of plain text, given without its newline. Ignores reply->content_type. */
enum MHD_Result reply_text(struct MHD_Connection *connection, const struct reply *reply, const char *text);

/* Queues malloc'd bytes and takes ownership of them, also on failure. */
enum MHD_Result reply_owned(struct MHD_Connection *connection, const struct reply *reply, char *bytes, size_t len);

/*
 * A response with a copy of the bytes, which is charged to the budget until the answer is sent. NULL without memory.
 * The caller hands it to reply_queue or MHD_destroy_response.
 */
MUST_CHECK struct MHD_Response *reply_make_copy(struct budget *budget, const char *bytes, size_t len);

/* Queues what reply_make_copy made and takes ownership of it, also on failure. */
enum MHD_Result reply_queue(struct MHD_Connection *connection, const struct reply *reply,
			    struct MHD_Response *response);

#endif
