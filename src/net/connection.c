/* SPDX-License-Identifier: Apache-2.0 */
#include "net/connection.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "net/limits.h"
#include "net/listen.h"
#include "sys/heap.h"

/*
 * Bytes that a client may send in its handshake. No client certificate is asked for, so a ClientHello with large key
 * shares must fit. GnuTLS by itself buffers a message of up to 16 MiB.
 */
enum { HANDSHAKE_MAX = 16 * 1024 };

struct connection *connection_of(struct MHD_Connection *handle)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(handle, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

void connection_begin_work(struct connection *connection)
{
	if (connection->under_way)
		return;
	connection->under_way = true;
	deadline_start(&connection->runtime->deadlines, &connection->deadline);
}

void connection_end_work(struct connection *connection, enum deadline_state idle)
{
	if (!connection->under_way)
		return;
	connection->under_way = false;
	deadline_stop(&connection->runtime->deadlines, &connection->deadline, idle);
}

/*
 * GnuTLS reads the socket through this function, which therefore sees the first byte of a request. The HTTP library
 * reports a request only when its head is complete, which a slow client can avoid.
 */
static ssize_t receive(gnutls_transport_ptr_t context, void *bytes, size_t len)
{
	struct connection *connection = context;
	const ssize_t got = recv(connection->fd, bytes, len, 0);

	if (got <= 0)
		return got;
	if (!connection->greeted) {
		connection->handshake_bytes += (size_t)got;
		if (connection->handshake_bytes > HANDSHAKE_MAX) {
			errno = ECONNRESET;
			return -1;
		}
	}
	connection_begin_work(connection);
	return got;
}

/*
 * GnuTLS writes to the socket through this function. The HTTP library sends the head and the body of an answer in a
 * record and a system call each. MSG_MORE makes the kernel hold the head back, for at most 200 ms, so that the client
 * wakes up once.
 */
static ssize_t transmit(gnutls_transport_ptr_t context, const giovec_t *pieces, int count)
{
	struct connection *connection = context;
	const struct msghdr message = {
		.msg_iov = (struct iovec *)(uintptr_t)pieces,
		.msg_iovlen = (size_t)count,
	};
	const int more = connection->body_follows ? MSG_MORE : 0;

	connection->body_follows = false;
	if (!connection->greeted)
		deadline_handshake(&connection->runtime->deadlines, &connection->deadline);
	return sendmsg(connection->fd, &message, MSG_NOSIGNAL | more);
}

/*
 * The client's Finished proves that the handshake succeeded. From here on the connection may be idle until its first
 * request. Not during a drain: a client that connects then is about to send one, and the end of the drain waits for it.
 */
static int handshake_finished(gnutls_session_t session, unsigned type, unsigned when, unsigned incoming,
			      const gnutls_datum_t *message)
{
	struct connection *connection = connection_of(gnutls_session_get_ptr(session));

	(void)type;
	(void)when;
	(void)message;
	if (incoming && connection) {
		connection->greeted = true;
		if (!atomic_load_explicit(&connection->runtime->draining, memory_order_relaxed))
			connection_end_work(connection, DEADLINE_UNASKED);
	}
	return 0;
}

/* The connection keeps its reference to the pair when another becomes current: a handshake may be using it. */
static void prepare_session(struct connection *connection, gnutls_session_t session)
{
	connection->credentials = credentials_store_ref(&connection->runtime->credentials);
	if (connection->credentials)
		gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, connection->credentials->x509);
	gnutls_handshake_set_hook_function(session, GNUTLS_HANDSHAKE_FINISHED, GNUTLS_HOOK_POST, handshake_finished);
	gnutls_transport_set_ptr(session, connection);
	gnutls_transport_set_pull_function(session, receive);
	gnutls_transport_set_vec_push_function(session, transmit);
}

static ssize_t receive_nothing(gnutls_transport_ptr_t context, void *bytes, size_t len)
{
	(void)context;
	(void)bytes;
	(void)len;
	errno = ECONNRESET;
	return -1;
}

/* Ends a connection that has just started: it is shut down, so that the library looks at it soon, and reads nothing. */
static void refuse(struct runtime *runtime, int fd, gnutls_session_t session)
{
	/* Counted first: a client that sees the connection end may read the metrics next. */
	atomic_fetch_add_explicit(&runtime->metrics.connections_refused, 1, memory_order_relaxed);
	gnutls_transport_set_pull_function(session, receive_nothing);
	shutdown(fd, SHUT_RDWR);
	log_event(runtime->log, LOG_LEVEL_DEBUG, "connection refused: no memory right now", NULL);
}

/* NULL if there is no memory for it: it has then been refused. */
static struct connection *connection_new(struct runtime *runtime, int fd, gnutls_session_t session)
{
	struct connection *connection = NULL;

	if (budget_take(&runtime->budget, LIMITS_CONNECTION_MEMORY)) {
		connection = calloc(1, sizeof(*connection));
		if (!connection)
			budget_give(&runtime->budget, LIMITS_CONNECTION_MEMORY);
	}
	if (!connection) {
		refuse(runtime, fd, session);
		return NULL;
	}
	connection->runtime = runtime;
	connection->fd = fd;
	http_request_init(&connection->request, runtime);
	prepare_session(connection, session);
	connection->under_way = true;
	deadline_enter(&runtime->deadlines, &connection->deadline, connection->fd);
	return connection;
}

static void connection_free(struct connection *connection)
{
	if (!connection)
		return;
	deadline_leave(&connection->runtime->deadlines, &connection->deadline);
	http_request_reset(&connection->request);
	credentials_unref(connection->credentials);
	budget_give(&connection->runtime->budget, LIMITS_CONNECTION_MEMORY);
	free(connection);
	heap_freed(LIMITS_CONNECTION_MEMORY);
}

static void log_failed_handshake(struct runtime *runtime, struct MHD_Connection *handle)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(handle, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	char address[LISTEN_TEXT_MAX] = "?";

	if (!log_enabled(runtime->log, LOG_LEVEL_DEBUG))
		return;
	if (info && info->client_addr)
		listen_format(info->client_addr, address);
	log_event(runtime->log, LOG_LEVEL_DEBUG, "TLS handshake failed", LOG_FIELDS(LOG_TEXT("client", address)));
}

void connection_notify(void *context, struct MHD_Connection *handle, void **socket_context,
		       enum MHD_ConnectionNotificationCode code)
{
	struct runtime *runtime = context;
	struct connection *connection = *socket_context;

	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		const union MHD_ConnectionInfo *fd, *session;

		fd = MHD_get_connection_info(handle, MHD_CONNECTION_INFO_CONNECTION_FD);
		session = MHD_get_connection_info(handle, MHD_CONNECTION_INFO_GNUTLS_SESSION);
		*socket_context = connection_new(runtime, fd->connect_fd, session->tls_session);
		atomic_fetch_add_explicit(&runtime->metrics.connections, 1, memory_order_relaxed);
		return;
	}
	atomic_fetch_sub_explicit(&runtime->metrics.connections, 1, memory_order_relaxed);
	if (connection && !connection->greeted) {
		atomic_fetch_add_explicit(&runtime->metrics.handshake_failures, 1, memory_order_relaxed);
		log_failed_handshake(runtime, handle);
	}
	connection_free(connection);
	*socket_context = NULL;
}
