/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/watch.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "kube/answer.h"
#include "kube/https.h"
#include "sys/random.h"

enum {
	/* Seconds after which the API server ends a watch, and by which it may be late. */
	LIFE_MIN = 240,
	LIFE_MAX = 300,
	LIFE_MARGIN = 30,
	BACKOFF_BASE = 500,
	BACKOFF_CAP = 30 * 1000,
};

unsigned watch_life(void)
{
	return LIFE_MIN + random_number() % (LIFE_MAX - LIFE_MIN + 1);
}

int watch_init(struct watch *watch, const char *path, struct error *err)
{
	char *copy = strdup(path);

	if (!copy)
		return error_set(err, ERROR_NO_MEMORY, "no memory for a watch");
	*watch = (struct watch){.path = copy, .backoff = {.base = BACKOFF_BASE, .cap = BACKOFF_CAP}};
	watch_events_init(&watch->events);
	return 0;
}

static void close_transfer(struct watch *watch, CURLM *multi)
{
	if (watch->transfer.easy)
		curl_multi_remove_handle(multi, watch->transfer.easy);
	transfer_release(&watch->transfer);
	watch_events_release(&watch->events);
	watch->answered = false;
}

void watch_release(struct watch *watch, CURLM *multi)
{
	close_transfer(watch, multi);
	free(watch->path);
	*watch = (struct watch){0};
}

static struct kube_request request_of(const struct watch *watch)
{
	return (struct kube_request){.method = "GET", .path = watch->path};
}

static size_t receive(char *bytes, size_t size, size_t count, void *context)
{
	struct watch *watch = context;

	if (transfer_code(&watch->transfer) == 200)
		watch_events_feed(&watch->events, bytes, size * count);
	else
		buf_add(&watch->events.error, bytes, size * count);
	/* libcurl's buffer lives as long as the watch does, and may hold a key. */
	explicit_bzero(bytes, size * count);
	return size * count;
}

static int start_transfer(struct watch *watch, const struct transfer_context *context, struct error *err)
{
	const struct transfer_sink sink = {.write = receive, .context = watch};
	const unsigned life = watch_life();
	CLEANUP(buf_release) struct buf path = {0};
	struct kube_request request = request_of(watch);

	buf_init(&path, PATH_MAX);
	buf_addf(&path, "%s%cwatch=1&timeoutSeconds=%u", watch->path, strchr(watch->path, '?') ? '&' : '?', life);
	if (path.failed)
		return error_set(err, ERROR_NO_MEMORY, "no memory for a watch");
	request.path = buf_string(&path);
	if (transfer_init(&watch->transfer, context->config, &request, (life + LIFE_MARGIN) * 1000, &sink, err) < 0)
		return -1;
	if (curl_multi_add_handle(context->multi, watch->transfer.easy) == CURLM_OK)
		return 0;
	transfer_release(&watch->transfer);
	return error_set(err, ERROR_NO_MEMORY, "no memory for a watch");
}

static void note_news(struct watch *watch)
{
	if (!watch->answered && transfer_code(&watch->transfer) == 200) {
		watch->answered = true;
		watch->news = true;
		watch->problem = (struct error){0};
	}
	if (watch->events.changed)
		watch->news = true;
	watch->events.changed = false;
}

static void plan_next(struct watch *watch, bool in_order, uint64_t now)
{
	if (now - watch->opened_at >= WATCH_STEADY)
		backoff_reset(&watch->backoff);
	watch->due = now + backoff_after_end(&watch->backoff, in_order, random_number());
}

static void fail(struct watch *watch, const char *text)
{
	const struct kube_request request = request_of(watch);

	answer_failed(&request, ERROR_SYSTEM, text, &watch->problem);
}

static void report_error_event(struct watch *watch, struct arena *arena)
{
	const char *message = answer_message(arena, &watch->events.error);

	fail(watch, message[0] ? message : "the API server ended the watch with an error");
}

/* What the API server answered instead of opening the watch. */
static void report_refusal(struct watch *watch, struct arena *arena, long http)
{
	const struct kube_request request = request_of(watch);

	if (answer_classify(arena, &request, http, &watch->events.error, &watch->problem) == KUBE_OK)
		fail(watch, "the answer is not a watch");
}

static bool ended_in_order(struct watch *watch, struct arena *arena, CURLcode code)
{
	const long http = transfer_code(&watch->transfer);

	if (code != CURLE_OK)
		fail(watch, https_problem(code, watch->transfer.details));
	else if (http != 200)
		report_refusal(watch, arena, http);
	else if (watch->events.broken)
		report_error_event(watch, arena);
	else
		return true;
	return false;
}

void watch_ended(struct watch *watch, const struct transfer_context *context, CURLcode code, uint64_t now)
{
	bool in_order;

	note_news(watch);
	in_order = ended_in_order(watch, context->arena, code);
	close_transfer(watch, context->multi);
	plan_next(watch, in_order, now);
}

static void open_watch(struct watch *watch, const struct transfer_context *context, uint64_t now)
{
	struct error err = {0};

	watch->opened_at = now;
	watch->due = now + context->config->timeout * 1000ULL;
	if (start_transfer(watch, context, &err) == 0)
		return;
	fail(watch, err.message);
	plan_next(watch, false, now);
}

void watch_tend(struct watch *watch, const struct transfer_context *context, uint64_t now)
{
	if (!watch->transfer.easy) {
		if (now >= watch->due)
			open_watch(watch, context, now);
		return;
	}
	note_news(watch);
	if (!watch->answered && now >= watch->due) {
		fail(watch, "no answer in time");
		close_transfer(watch, context->multi);
		plan_next(watch, false, now);
	}
}

uint64_t watch_next(const struct watch *watch)
{
	return watch->answered ? UINT64_MAX : watch->due;
}

bool watch_take_news(struct watch *watch)
{
	const bool news = watch->news;

	watch->news = false;
	return news;
}
