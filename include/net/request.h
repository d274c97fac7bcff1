#ifndef NET_REQUEST_H
#define NET_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include <microhttpd.h>

#include "net/connection.h"

/*
 * The HTTP side of a request to the TLS port, up to a body that is worth reviewing.
 */

enum {
	/* Bytes of a refused body that are read so that its client comes to see the answer; beyond it the connection
	 * is closed. */
	REQUEST_DISCARD_MAX = 16 * 1024 * 1024,
};

/* What is to be done with a request whose head has been read. */
enum request_next {
	REQUEST_READ,	/* read the body; it may be refused, and is then forgotten as it comes */
	REQUEST_ANSWER, /* answer the refusal at once */
};

/* Looks at the head: method, path, media type, encoding and length. */
enum request_next request_check_head(struct connection *connection, struct MHD_Connection *handle, const char *url,
				     const char *method);

/* Takes a piece of the body. False where the connection has to be closed. */
bool request_add(struct connection *connection, const char *bytes, size_t len);

/* Refuses the request with an HTTP error and a line of static text, and frees its body. Counts the error. */
void request_refuse(struct connection *connection, unsigned status, const char *text);

/* Queues the answer of a refused request. */
enum MHD_Result request_answer_refusal(struct connection *connection, struct MHD_Connection *handle);

#endif
