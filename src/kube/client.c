/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/client.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kube/answer.h"
#include "kube/https.h"
#include "kube/stream.h"
#include "kube/transfer.h"
#include "kube/watch.h"
#include "sys/clock.h"

enum {
	DEFAULT_TIMEOUT = 10,   /* seconds */
	ARENA_SIZE = 64 * 1024, /* for the API server's messages, which fit into a few KiB */
	POLL_MAX = 60 * 1000,   /* milliseconds */
	BURST_ROUNDS_MAX = 16,  /* of reading before a wait ends, even if more is coming */
};

/* The request under way. */
struct exchange {
	struct transfer transfer;
	struct buf *answer;
	bool done;
	CURLcode code;
};

struct kube_client {
	struct kube_client_config config;
	CURLM *multi;
	struct watch watches[KUBE_WATCHES_MAX];
	unsigned watch_count;
	struct stream stream;
	struct exchange *exchange; /* NULL: none */
	atomic_bool woken;
	struct arena arena;
	char memory[ARENA_SIZE]; /* of the arena */
};

struct kube_client *kube_client_new(const struct kube_client_config *config, struct error *err)
{
	struct kube_client *client = calloc(1, sizeof(*client));

	if (client && https_init() == 0)
		client->multi = curl_multi_init();
	if (!client || !client->multi ||
	    curl_multi_setopt(client->multi, CURLMOPT_MAXCONNECTS, (long)KUBE_WATCHES_MAX + 2) != CURLM_OK) {
		kube_client_free(client);
		error_set(err, ERROR_NO_MEMORY, "no memory for a client of the API server");
		return NULL;
	}
	client->config = *config;
	stream_init(&client->stream);
	if (client->config.timeout == 0)
		client->config.timeout = DEFAULT_TIMEOUT;
	atomic_init(&client->woken, false);
	arena_init_fixed(&client->arena, client->memory, sizeof(client->memory));
	return client;
}

void kube_client_free(struct kube_client *client)
{
	if (!client)
		return;
	for (unsigned i = 0; i < client->watch_count; i++)
		watch_release(&client->watches[i], client->multi);
	stream_close(&client->stream, client->multi);
	curl_multi_cleanup(client->multi);
	explicit_bzero(client->memory, sizeof(client->memory));
	free(client);
}

static struct transfer_context context_of(struct kube_client *client)
{
	return (struct transfer_context){.config = &client->config, .multi = client->multi, .arena = &client->arena};
}

/* Hands the end of a transfer to whatever it belongs to. */
static void end_transfer(struct kube_client *client, const struct transfer_context *context, CURL *easy, CURLcode code)
{
	if (client->exchange && client->exchange->transfer.easy == easy) {
		client->exchange->done = true;
		client->exchange->code = code;
		return;
	}
	if (client->stream.transfer.easy == easy) {
		stream_ended(&client->stream, context, code);
		return;
	}
	for (unsigned i = 0; i < client->watch_count; i++) {
		if (client->watches[i].transfer.easy == easy) {
			watch_ended(&client->watches[i], context, code, clock_milliseconds());
			return;
		}
	}
}

/* Does all that can be done without waiting. */
static void pump(struct kube_client *client)
{
	const struct transfer_context context = context_of(client);
	const CURLMsg *message;
	int count;

	curl_multi_perform(client->multi, &count);
	while ((message = curl_multi_info_read(client->multi, &count))) {
		if (message->msg == CURLMSG_DONE)
			end_transfer(client, &context, message->easy_handle, message->data.result);
	}
	for (unsigned i = 0; i < client->watch_count; i++)
		watch_tend(&client->watches[i], &context, clock_milliseconds());
	stream_tend(&client->stream, client->multi, clock_milliseconds());
}

/* Waits until something can be done, the client is woken, or the time is over. */
static void wait_ready(struct kube_client *client, uint64_t until)
{
	const uint64_t now = clock_milliseconds();
	const uint64_t stream_due = stream_next(&client->stream);
	uint64_t delay;

	until = stream_due < until ? stream_due : until;
	for (unsigned i = 0; i < client->watch_count; i++) {
		const uint64_t next = watch_next(&client->watches[i]);

		until = next < until ? next : until;
	}
	delay = until > now ? until - now : 0;
	curl_multi_poll(client->multi, NULL, 0, delay < POLL_MAX ? (int)delay : POLL_MAX, NULL);
}

static size_t receive(char *bytes, size_t size, size_t count, void *context)
{
	struct exchange *exchange = context;

	buf_add(exchange->answer, bytes, size * count);
	return exchange->answer->failed ? 0 : size * count;
}

/* The result of the exchange, and its message. */
static enum kube_status classify(struct kube_client *client, const struct kube_request *request,
				 struct exchange *exchange, struct error *err)
{
	const long http = transfer_code(&exchange->transfer);
	enum kube_status status;

	if (!exchange->done) {
		answer_failed(request, ERROR_SYSTEM, "interrupted", err);
		return KUBE_UNAVAILABLE;
	}
	if (exchange->answer->failed) {
		answer_failed(request, ERROR_INVALID, "the answer is too large", err);
		return KUBE_TOO_LARGE;
	}
	if (exchange->code != CURLE_OK) {
		answer_failed(request, ERROR_SYSTEM, https_problem(exchange->code, exchange->transfer.details), err);
		return KUBE_UNAVAILABLE;
	}
	status = answer_classify(&client->arena, request, http, exchange->answer, err);
	/* A refusal may quote what it refuses. */
	explicit_bzero(client->memory, sizeof(client->memory) - client->arena.left);
	return status;
}

/* Sends the request and waits for its answer. */
static enum kube_status carry_out(struct kube_client *client, const struct kube_request *request,
				  struct exchange *exchange, struct error *err)
{
	enum kube_status status;

	if (curl_multi_add_handle(client->multi, exchange->transfer.easy) != CURLM_OK) {
		answer_failed(request, ERROR_NO_MEMORY, "no memory for a request", err);
		return KUBE_UNAVAILABLE;
	}
	client->exchange = exchange;
	for (pump(client); !exchange->done && !atomic_load(&client->woken); pump(client))
		wait_ready(client, UINT64_MAX);
	client->exchange = NULL;
	status = classify(client, request, exchange, err);
	curl_multi_remove_handle(client->multi, exchange->transfer.easy);
	return status;
}

enum kube_status kube_client_send(struct kube_client *client, const struct kube_request *request, struct buf *answer,
				  struct error *err)
{
	struct exchange exchange = {.answer = answer};
	const struct transfer_sink sink = {.write = receive, .context = &exchange};
	enum kube_status status;
	struct error local = {0};
	const unsigned timeout = request->timeout ? request->timeout : client->config.timeout * 1000;

	buf_release(answer);
	if (transfer_init(&exchange.transfer, &client->config, request, timeout, &sink, &local) < 0) {
		answer_failed(request, local.code, local.message, err);
		return KUBE_UNAVAILABLE;
	}
	status = carry_out(client, request, &exchange, err);
	transfer_release(&exchange.transfer);
	if (status != KUBE_OK)
		buf_release(answer);
	return status;
}

int kube_client_watch(struct kube_client *client, const char *path, struct error *err)
{
	if (client->watch_count == KUBE_WATCHES_MAX)
		return error_set(err, ERROR_INVALID, "a client has at most %d watches", KUBE_WATCHES_MAX);
	if (watch_init(&client->watches[client->watch_count], path, err) < 0)
		return -1;
	client->watch_count++;
	return 0;
}

bool kube_client_watch_failed(const struct kube_client *client, struct error *ret_problem)
{
	for (unsigned i = 0; i < client->watch_count; i++) {
		if (client->watches[i].problem.code != ERROR_NONE) {
			*ret_problem = client->watches[i].problem;
			return true;
		}
	}
	return false;
}

int kube_client_open_stream(struct kube_client *client, const struct kube_stream_request *request, struct error *err)
{
	const struct transfer_context context = context_of(client);

	stream_close(&client->stream, client->multi);
	return stream_open(&client->stream, &context, request, clock_milliseconds(), err);
}

bool kube_client_stream_is_open(const struct kube_client *client, enum kube_status *ret_status,
				struct error *ret_problem)
{
	*ret_status = client->stream.status;
	*ret_problem = client->stream.problem;
	return client->stream.path != NULL;
}

bool kube_client_stream_has_started(const struct kube_client *client)
{
	return client->stream.path != NULL && client->stream.answered;
}

void kube_client_close_stream(struct kube_client *client)
{
	stream_close(&client->stream, client->multi);
}

/* Whether there is a reason to end a wait; clears it. */
static bool take_news(struct kube_client *client)
{
	bool news = atomic_exchange(&client->woken, false);

	for (unsigned i = 0; i < client->watch_count; i++)
		news |= watch_take_news(&client->watches[i]);
	news |= client->stream.news;
	client->stream.news = false;
	return news;
}

/* Reads the rest of a burst, so that it ends one wait and not several. */
static void drain(struct kube_client *client)
{
	int ready = 1;

	for (unsigned i = 0; i < BURST_ROUNDS_MAX && ready > 0; i++) {
		pump(client);
		ready = 0;
		curl_multi_poll(client->multi, NULL, 0, 0, &ready);
	}
	for (unsigned i = 0; i < client->watch_count; i++)
		(void)watch_take_news(&client->watches[i]);
	client->stream.news = false;
}

bool kube_client_wait(struct kube_client *client, unsigned milliseconds)
{
	const uint64_t end = clock_milliseconds() + milliseconds;

	for (;;) {
		pump(client);
		if (take_news(client)) {
			drain(client);
			return true;
		}
		if (clock_milliseconds() >= end)
			return false;
		wait_ready(client, end);
	}
}

void kube_client_wake(struct kube_client *client)
{
	atomic_store(&client->woken, true);
	curl_multi_wakeup(client->multi);
}
