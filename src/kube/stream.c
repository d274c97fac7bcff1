/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/stream.h"

#include <stdlib.h>
#include <string.h>

#include "kube/answer.h"
#include "kube/https.h"

enum {
	REFUSAL_MAX = 16 * 1024,
	LINE_KEPT = 64 * 1024, /* bytes: the buffer of a longer line is freed after it */
	LIFE_MARGIN = 30,      /* seconds by which the API server may be late in ending it */
};

void stream_init(struct stream *stream)
{
	*stream = (struct stream){.status = KUBE_OK};
	buf_init(&stream->line, KUBE_LINE_MAX);
	buf_init(&stream->refusal, REFUSAL_MAX);
}

static void end_line(struct stream *stream)
{
	if (stream->skipping || stream->line.len > 0)
		stream->lines.take(stream->lines.context, stream->skipping ? NULL : buf_string(&stream->line),
				   stream->line.len);
	if (stream->line.capacity > LINE_KEPT)
		buf_release(&stream->line);
	else
		stream->line.len = 0;
	stream->skipping = false;
	stream->news = true;
}

static void add(struct stream *stream, const char *bytes, size_t len)
{
	if (stream->skipping || len == 0)
		return;
	buf_add(&stream->line, bytes, len);
	if (!stream->line.failed)
		return;
	buf_release(&stream->line);
	stream->skipping = true;
}

static size_t receive(char *bytes, size_t size, size_t count, void *context)
{
	struct stream *stream = context;
	const char *end = bytes + size * count;
	const char *newline;

	if (transfer_code(&stream->transfer) != 200) {
		buf_add(&stream->refusal, bytes, size * count);
		return size * count;
	}
	stream->answered = true;
	while ((newline = memchr(bytes, '\n', (size_t)(end - bytes)))) {
		add(stream, bytes, (size_t)(newline - bytes));
		end_line(stream);
		bytes += newline - bytes + 1;
	}
	add(stream, bytes, (size_t)(end - bytes));
	return size * count;
}

static struct kube_request request_of(const struct stream *stream)
{
	return (struct kube_request){.method = "GET", .path = stream->path};
}

int stream_open(struct stream *stream, const struct transfer_context *context,
		const struct kube_stream_request *request, uint64_t now, struct error *err)
{
	const struct transfer_sink sink = {.write = receive, .context = stream};
	const unsigned timeout = (request->seconds + LIFE_MARGIN) * 1000;
	struct kube_request get;

	stream_init(stream);
	stream->path = strdup(request->path);
	if (!stream->path)
		return error_set(err, ERROR_NO_MEMORY, "no memory for a stream");
	stream->lines = request->lines;
	stream->due = now + context->config->timeout * 1000ULL;
	get = request_of(stream);
	if (transfer_init(&stream->transfer, context->config, &get, timeout, &sink, err) == 0) {
		if (curl_multi_add_handle(context->multi, stream->transfer.easy) == CURLM_OK)
			return 0;
		transfer_release(&stream->transfer);
		error_set(err, ERROR_NO_MEMORY, "no memory for a stream");
	}
	stream_close(stream, context->multi);
	return -1;
}

void stream_close(struct stream *stream, CURLM *multi)
{
	if (stream->transfer.easy)
		curl_multi_remove_handle(multi, stream->transfer.easy);
	transfer_release(&stream->transfer);
	buf_release(&stream->line);
	buf_release(&stream->refusal);
	free(stream->path);
	stream->path = NULL;
}

static void fail(struct stream *stream, enum kube_status status, const char *text)
{
	const struct kube_request request = request_of(stream);

	stream->status = status;
	answer_failed(&request, ERROR_SYSTEM, text, &stream->problem);
}

void stream_ended(struct stream *stream, const struct transfer_context *context, CURLcode code)
{
	const struct kube_request request = request_of(stream);
	const long http = transfer_code(&stream->transfer);

	if (code != CURLE_OK)
		fail(stream, KUBE_UNAVAILABLE, https_problem(code, stream->transfer.details));
	else if (http != 200)
		stream->status = answer_classify(context->arena, &request, http, &stream->refusal, &stream->problem);
	stream->news = true;
	stream_close(stream, context->multi);
}

void stream_tend(struct stream *stream, CURLM *multi, uint64_t now)
{
	if (!stream->path)
		return;
	if (!stream->answered && transfer_code(&stream->transfer) == 200)
		stream->answered = stream->news = true;
	if (stream->answered || now < stream->due)
		return;
	fail(stream, KUBE_UNAVAILABLE, "no answer in time");
	stream->news = true;
	stream_close(stream, multi);
}

uint64_t stream_next(const struct stream *stream)
{
	return stream->path && !stream->answered ? stream->due : UINT64_MAX;
}
