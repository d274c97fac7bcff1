#ifndef NET_CONNECTION_H
#define NET_CONNECTION_H

#include <stdbool.h>
#include <stdint.h>

#include <microhttpd.h>

#include "net/body.h"
#include "net/service.h"

/*
 * A connection of the TLS port from its first packet to its last: the certificate it was greeted with, whether its
 * handshake succeeded, the deadline over what is under way, and the request that is.
 *
 * A connection is used by the one thread of the HTTP library that serves it.
 */

/* Zeroed between two requests but for the body, which is then empty. */
struct request {
	struct body body;
	uint64_t begun;		  /* clock_microseconds */
	size_t announced;	  /* Content-Length, 0 where there is none */
	size_t discarded;	  /* bytes of a refused body that were read and forgotten */
	unsigned refusal;	  /* the HTTP status that it will be answered with, 0: none so far */
	const char *refusal_text; /* static */
};

struct connection {
	struct service *service;
	struct credentials *credentials; /* a reference */
	struct deadline deadline;
	struct request request;
	int fd;		/* the library's */
	bool greeted;	/* the handshake is complete */
	bool under_way; /* the deadline runs: a handshake, or a request from its first byte to the end of its answer */
};

/*
 * libmicrohttpd's MHD_OPTION_NOTIFY_CONNECTION, with a struct service as its context: makes and ends the struct
 * connection, which becomes the socket's context.
 */
void connection_notify(void *service, struct MHD_Connection *handle, void **socket_context,
		       enum MHD_ConnectionNotificationCode code);

/* The connection of a request; NULL where there was no memory for it. */
struct connection *connection_of(struct MHD_Connection *handle);

/* Starts the deadline unless it runs. */
void connection_begin_work(struct connection *connection);

/* Ends the deadline: the connection is idle by right. */
void connection_end_work(struct connection *connection);

#endif
