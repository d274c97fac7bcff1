#ifndef NET_CONNECTION_H
#define NET_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>

#include <microhttpd.h>

#include "net/deadlines.h"
#include "net/http_request.h"
#include "net/runtime.h"

/*
 * A connection of the TLS port from its first packet to its last: the certificate it was greeted with, whether its
 * handshake succeeded, the deadline over what is under way, and the request that is.
 *
 * The first byte of a request is seen where it comes in a packet of its own. Behind a request that is pipelined with
 * it, its time begins with the next packet or its complete head; until then the connection counts as idle.
 *
 * A connection is used by the one thread of the HTTP library that serves it.
 */

struct connection {
	struct runtime *runtime;
	struct credentials *credentials; /* a reference */
	struct deadline deadline;
	struct http_request request;
	int fd;                 /* the library's */
	size_t handshake_bytes; /* received before it was complete */
	bool greeted;           /* the handshake is complete */
	bool body_follows;      /* what is sent next is the head of an answer, and its body comes right behind it */
	bool under_way; /* the deadline runs: a handshake, or a request from its first byte to the end of its answer */
};

/*
 * libmicrohttpd's MHD_OPTION_NOTIFY_CONNECTION, with a struct runtime as its context: makes and ends the struct
 * connection, which becomes the socket's context. Where there is no memory for it the connection is refused: shut down
 * at once, and counted.
 */
void connection_notify(void *runtime, struct MHD_Connection *handle, void **socket_context,
		       enum MHD_ConnectionNotificationCode code);

/* The connection of a request; NULL where it was refused. */
struct connection *connection_of(struct MHD_Connection *handle);

/* Starts the deadline unless it runs. */
void connection_begin_work(struct connection *connection);

/* Ends the deadline: the connection is idle by right, for as long as there are places for others. */
void connection_end_work(struct connection *connection, enum deadline_state idle);

#endif
