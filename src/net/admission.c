/* SPDX-License-Identifier: Apache-2.0 */
#include "net/admission.h"

#include <string.h>
#include <unistd.h>

#include <gnutls/abstract.h>

#include "core/limits.h"
#include "net/connection.h"
#include "net/reply.h"
#include "sys/clock.h"

/* By default the library still allows TLS 1.0, no forward secrecy, CBC, and expensive Diffie-Hellman groups. */
#define TLS_PRIORITIES                                                                                       \
	"SECURE128:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-RSA:-DHE-RSA:-CIPHER-ALL:+AES-128-GCM:+AES-256-GCM:" \
	"+CHACHA20-POLY1305"

/*
 * The library's memory per connection, for the head of a request and pieces of its body. All of it is cleared for each
 * request, so more costs time. API servers send heads of some 300 bytes.
 */
enum { CONNECTION_POOL = 16 * 1024 };

static void log_answer(struct log *log, const struct review_answer *answer, uint64_t duration)
{
	const enum log_level level = answer->decision == REVIEW_REFUSED ? LOG_LEVEL_ERROR : LOG_LEVEL_INFO;

	if (!log_enabled(log, level))
		return;
	log_event(log, level, "review",
		  LOG_FIELDS(LOG_TEXT("uid", answer->uid), LOG_TEXT("namespace", answer->namespace),
			     LOG_TEXT("resource", answer->resource), LOG_TEXT("name", answer->name),
			     LOG_TEXT("operation", answer->operation),
			     LOG_TEXT("decision", review_decision_name(answer->decision)),
			     LOG_NUMBER("code", answer->code), LOG_TEXT("role", answer->role),
			     LOG_NUMBER("index", answer->index), LOG_TEXT("message", answer->message),
			     LOG_NUMBER("duration_us", (long long)duration)));
}

/* Turns the answer into a refusal, as there is no memory to send it from. */
static void refuse_for_memory(struct review_answer *answer)
{
	answer->http_status = MHD_HTTP_SERVICE_UNAVAILABLE;
	answer->decision = REVIEW_REFUSED;
	answer->code = MHD_HTTP_SERVICE_UNAVAILABLE;
	answer->message = HTTP_REQUEST_NO_MEMORY;
}

static enum MHD_Result queue_answer(struct admission *admission, struct MHD_Connection *handle,
				    const struct review_answer *answer, struct MHD_Response *response)
{
	const bool close = atomic_load_explicit(&admission->runtime->draining, memory_order_relaxed);
	struct reply reply = reply_of((unsigned)answer->http_status, close);

	reply.content_type = answer->content_type;
	return response ? reply_queue(handle, &reply, response) : reply_text(handle, &reply, answer->message);
}

/*
 * Reviews the complete body. Returns false if the answer would gain from objects of the cluster, whose lookup has then
 * started: the request is handled again when it is over. Most reviews are of pods, which are reviewed once.
 */
static bool review(const struct admission *admission, struct http_request *request, struct MHD_Connection *handle,
		   struct arena *arena, struct review_answer *ret_answer)
{
	const struct admission_config *config = &admission->config;
	const struct body *body = &request->body;
	struct related_list wanted = {.items = NULL};

	if (!config->lookup) {
		review_answer(arena, body->data, body->len, &config->review, ret_answer);
		return true;
	}
	review_answer_with(arena, body->data, body->len, &config->review,
			   request->suspended ? suspended_review_result(request->suspended) : &wanted, ret_answer);
	if (wanted.len > 0)
		request->suspended = suspended_review_ask(config->lookup, &admission->runtime->budget, handle, &wanted);
	return wanted.len == 0 || !request->suspended;
}

/* Sends the answer. The memory of the body is given back first, to make room for the answer. */
static enum MHD_Result send_answer(struct admission *admission, struct http_request *request,
				   struct MHD_Connection *handle, struct review_answer *answer)
{
	struct runtime *runtime = admission->runtime;
	struct MHD_Response *response;
	enum MHD_Result queued;
	uint64_t duration;

	body_release(&request->body);
	response = reply_make_copy(&runtime->budget, answer->body, answer->body_len);
	if (!response)
		refuse_for_memory(answer);
	duration = clock_microseconds() - request->begun;
	/* Running out of memory is not a decision, just as when it ends a request earlier. */
	if (answer->http_status != MHD_HTTP_SERVICE_UNAVAILABLE)
		metrics_count_review(&runtime->metrics, answer->resource, answer->operation, answer->decision,
				     duration);
	if (answer->http_status >= 400)
		metrics_count_http_error(&runtime->metrics, (unsigned)answer->http_status);
	queued = queue_answer(admission, handle, answer, response);
	log_answer(runtime->log, answer, duration);
	return queued;
}

static enum MHD_Result answer_request(struct admission *admission, struct http_request *request,
				      struct MHD_Connection *handle)
{
	struct review_answer answer;
	struct arena *arena;
	enum MHD_Result result = MHD_YES;

	if (!request->refusal && request->body.len == 0)
		http_request_refuse(request, MHD_HTTP_BAD_REQUEST, "the body is empty");
	if (request->refusal)
		return http_request_answer_refusal(request, handle);
	arena = arenas_borrow(&admission->arenas);
	if (!arena)
		return MHD_NO;
	if (review(admission, request, handle, arena, &answer))
		result = send_answer(admission, request, handle, &answer);
	arenas_give_back(&admission->arenas, arena);
	return result;
}

/* Every answer has a body, except to HEAD. */
static void begin_answer(struct connection *connection, const char *method)
{
	connection->body_follows = strcmp(method, MHD_HTTP_METHOD_HEAD) != 0;
}

/*
 * The library calls this when the head is complete (*context is then NULL), for each piece of the body, and when the
 * body is complete (*piece_len is then 0). The last call comes again after the request was suspended in it.
 */
static enum MHD_Result handle_request(void *cls, struct MHD_Connection *handle, const char *url, const char *method,
				      const char *version, const char *piece, size_t *piece_len, void **context)
{
	struct admission *admission = cls;
	struct connection *connection = *context;

	(void)version;
	if (!connection) {
		connection = connection_of(handle);
		if (!connection)
			return MHD_NO;
		*context = connection;
		atomic_fetch_add_explicit(&admission->runtime->metrics.in_flight, 1, memory_order_relaxed);
		connection_begin_work(connection);
		if (http_request_begin(&connection->request, handle, url, method) == HTTP_REQUEST_READ)
			return MHD_YES;
		begin_answer(connection, method);
		return http_request_answer_refusal(&connection->request, handle);
	}
	if (*piece_len > 0) {
		const size_t len = *piece_len;

		*piece_len = 0;
		return http_request_add(&connection->request, piece, len) ? MHD_YES : MHD_NO;
	}
	begin_answer(connection, method);
	return answer_request(admission, &connection->request, handle);
}

static void request_completed(void *cls, struct MHD_Connection *handle, void **context,
			      enum MHD_RequestTerminationCode code)
{
	struct admission *admission = cls;
	struct connection *connection = *context;

	(void)handle;
	(void)code;
	if (!connection)
		return;
	http_request_reset(&connection->request);
	connection_end_work(connection, DEADLINE_IDLE);
	atomic_fetch_sub_explicit(&admission->runtime->metrics.in_flight, 1, memory_order_relaxed);
	*context = NULL;
}

static enum MHD_Result accept_connection(void *cls, const struct sockaddr *address, socklen_t len)
{
	const struct admission *admission = cls;

	(void)address;
	(void)len;
	return atomic_load_explicit(&admission->runtime->refusing, memory_order_relaxed) ? MHD_NO : MHD_YES;
}

/* Never used: each connection has its own pair. But without a callback the library wants a certificate. */
static int no_certificate(gnutls_session_t session, const gnutls_datum_t *authorities, int authorities_count,
			  const gnutls_pk_algorithm_t *algorithms, int algorithms_count, gnutls_pcert_st **ret_pair,
			  unsigned *ret_count, gnutls_privkey_t *ret_key)
{
	(void)session;
	(void)authorities;
	(void)authorities_count;
	(void)algorithms;
	(void)algorithms_count;
	(void)ret_pair;
	(void)ret_count;
	(void)ret_key;
	return -1;
}

static struct MHD_Daemon *start_daemon(struct admission *admission, int listen_fd)
{
	const struct admission_config *config = &admission->config;
	struct MHD_OptionItem options[] = {
		{MHD_OPTION_EXTERNAL_LOGGER, (intptr_t)runtime_library_log, admission->runtime},
		{MHD_OPTION_LISTEN_SOCKET, listen_fd, NULL},
		{MHD_OPTION_NOTIFY_CONNECTION, (intptr_t)connection_notify, admission->runtime},
		{MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)request_completed, admission},
		{MHD_OPTION_CONNECTION_LIMIT, config->max_connections, NULL},
		{MHD_OPTION_CONNECTION_TIMEOUT, config->idle_timeout, NULL},
		{MHD_OPTION_THREAD_STACK_SIZE, REVIEW_STACK_SIZE, NULL},
		{MHD_OPTION_STRICT_FOR_CLIENT, 1, NULL},
		{MHD_OPTION_CONNECTION_MEMORY_LIMIT, CONNECTION_POOL, NULL},
		/* The library refuses a pool of one: that is a daemon without a pool. */
		{config->threads > 1 ? MHD_OPTION_THREAD_POOL_SIZE : MHD_OPTION_END, config->threads, NULL},
		{MHD_OPTION_END, 0, NULL},
	};

	/* Without a channel (ITC) a worker is woken through the listening socket, which it ignores while it is full. */
	return MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_TLS |
					MHD_USE_ERROR_LOG,
				0, accept_connection, admission, handle_request, admission, MHD_OPTION_ARRAY, options,
				MHD_OPTION_HTTPS_PRIORITIES, TLS_PRIORITIES, MHD_OPTION_HTTPS_CERT_CALLBACK,
				no_certificate, MHD_OPTION_END);
}

int admission_start(struct admission *admission, struct runtime *runtime, const struct admission_config *config,
		    int listen_fd, struct error *err)
{
	*admission = (struct admission){.runtime = runtime, .config = *config};
	if (arenas_init(&admission->arenas, config->threads, &runtime->budget, err) < 0) {
		close(listen_fd);
		return -1;
	}
	admission->daemon = start_daemon(admission, listen_fd);
	if (admission->daemon)
		return 0;
	/* The library may have closed the socket, depending on where it failed. Leaking it beats closing it twice. */
	arenas_release(&admission->arenas);
	return error_set(err, ERROR_SYSTEM, "cannot start the TLS server with %u threads", config->threads);
}

void admission_stop(struct admission *admission)
{
	MHD_stop_daemon(admission->daemon);
	arenas_release(&admission->arenas);
}
