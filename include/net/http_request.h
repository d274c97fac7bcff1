/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NET_HTTP_REQUEST_H
#define NET_HTTP_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <microhttpd.h>

#include "net/body.h"
#include "net/runtime.h"
#include "net/suspended_review.h"

/*
 * The HTTP side of a request to the TLS port, up to a body that is worth reviewing. A request is used by one thread.
 */

/* The answer if others hold the memory that a body or answer needs. */
#define HTTP_REQUEST_NO_MEMORY "no memory right now: try again"

enum {
	/* Bytes of a refused body that are read, so that the client sees the answer. After more, the connection is
	 * closed. */
	HTTP_REQUEST_DISCARD_MAX = 16 * 1024 * 1024,
};

struct http_request {
	struct runtime *runtime; /* borrowed */
	struct body body;
	struct suspended_review *suspended; /* if the review waits, or has waited, for a lookup; else NULL */
	uint64_t begun;                     /* clock_microseconds at the end of the head */
	size_t announced;                   /* Content-Length, 0 if there is none */
	size_t discarded;                   /* bytes of a refused body that were read and dropped */
	unsigned refusal;                   /* the HTTP status of the refusal; 0: not refused */
	const char *refusal_text;           /* one line, static */
};

/* What to do with a request whose head has been read. */
enum http_request_next {
	HTTP_REQUEST_READ,   /* read the body; that of a refused request is dropped as it arrives */
	HTTP_REQUEST_ANSWER, /* answer the refusal at once */
};

/* An empty request, which owns nothing and borrows the runtime. */
void http_request_init(struct http_request *request, struct runtime *runtime);

/* Frees what the request holds and leaves it as after http_request_init. */
void http_request_reset(struct http_request *request);

/* Starts a request whose head is complete: checks its method, path, media type, encoding and length. */
enum http_request_next http_request_begin(struct http_request *request, struct MHD_Connection *handle, const char *url,
					  const char *method);

/* Takes a piece of the body. False if the connection must be closed: the refusal is counted as if it were answered. */
bool http_request_add(struct http_request *request, const char *bytes, size_t len);

/* Refuses the request with an HTTP error and a line of static text, and frees its body. */
void http_request_refuse(struct http_request *request, unsigned status, const char *text);

/* Queues the answer to a refused request, and counts the error. */
enum MHD_Result http_request_answer_refusal(const struct http_request *request, struct MHD_Connection *handle);

#endif
