#ifndef NET_REPLY_H
#define NET_REPLY_H

#include <stdbool.h>
#include <stddef.h>

#include <microhttpd.h>

#include "base/budget.h"
#include "base/compiler.h"

/*
 * Making and queueing answers. The results are libmicrohttpd's: MHD_NO means that the connection has to end.
 */

struct reply {
	unsigned status;
	const char *content_type;
	const char *header, *value; /* one more header; NULL: none */
	bool close;                 /* the connection ends with this answer */
};

/* A reply with the status, which for a 503 tells when to come back; the caller adds to it. */
struct reply reply_of(unsigned status, bool close);

/* Queues one line of plain text, which comes without its newline, whatever reply->content_type says. */
enum MHD_Result reply_text(struct MHD_Connection *connection, const struct reply *reply, const char *text);

/* Queues malloc'd bytes and takes ownership of them, also on failure. */
enum MHD_Result reply_owned(struct MHD_Connection *connection, const struct reply *reply, char *bytes, size_t len);

/*
 * A copy of the bytes in memory that the budget is charged with until the answer is sent. NULL where there is none.
 * The caller hands the result to reply_queue or MHD_destroy_response.
 */
MUST_CHECK struct MHD_Response *reply_make_copy(struct budget *budget, const char *bytes, size_t len);

/* Queues what reply_make_copy made and takes ownership of it, also on failure. */
enum MHD_Result reply_queue(struct MHD_Connection *connection, const struct reply *reply,
			    struct MHD_Response *response);

#endif
