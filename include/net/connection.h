/* SPDX-License-Identifier: Apache-2.0 */
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
 * handshake succeeded, and the current request with its deadline.
 *
 * The time of a request starts with its first byte, if that arrives in a packet of its own. If it arrives in one packet
 * with the request before it (pipelining), its time starts with the next packet or the complete head; until then the
 * connection counts as idle.
 *
 * A connection is used only by the thread of the HTTP library that serves it.
 */

struct connection {
	struct runtime *runtime;
	struct credentials *credentials; /* a reference */
	struct deadline deadline;
	struct http_request request;
	int fd;                 /* the library's */
	size_t handshake_bytes; /* received before it was complete */
	bool greeted;           /* the handshake is complete */
	bool body_follows;      /* what is sent next is the head of an answer, and its body comes right after it */
	bool under_way; /* the deadline runs: a handshake, or a request from its first byte to the end of its answer */
};

/*
 * libmicrohttpd's MHD_OPTION_NOTIFY_CONNECTION, with a struct runtime as its context: creates and frees the struct
 * connection, which is the socket's context. Without memory for it the connection is refused: shut down at once, and
 * counted.
 */
void connection_notify(void *runtime, struct MHD_Connection *handle, void **socket_context,
		       enum MHD_ConnectionNotificationCode code);

/* The connection of a request; NULL if it was refused. */
struct connection *connection_of(struct MHD_Connection *handle);

/* Starts the deadline unless it runs. */
void connection_begin_work(struct connection *connection);

/* Ends the deadline: the connection may be idle, for as long as there are places for others. */
void connection_end_work(struct connection *connection, enum deadline_state idle);

#endif
