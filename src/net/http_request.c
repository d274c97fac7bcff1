/* SPDX-License-Identifier: Apache-2.0 */
#include "net/http_request.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/limits.h"
#include "net/reply.h"
#include "sys/clock.h"

#define REVIEW_PATH "/mutate"

static const char too_large[] = "the body is larger than " REVIEW_MAX_BODY_TEXT;

void http_request_init(struct http_request *request, struct runtime *runtime)
{
	*request = (struct http_request){.runtime = runtime};
	body_init(&request->body, &runtime->budget);
}

void http_request_reset(struct http_request *request)
{
	body_release(&request->body);
	suspended_review_free(request->suspended);
	http_request_init(request, request->runtime);
}

void http_request_refuse(struct http_request *request, unsigned status, const char *text)
{
	struct log *log = request->runtime->log;

	request->refusal = status;
	request->refusal_text = text;
	body_release(&request->body);
	if (log_enabled(log, LOG_LEVEL_DEBUG))
		log_event(log, LOG_LEVEL_DEBUG, "request refused",
			  LOG_FIELDS(LOG_NUMBER("code", status), LOG_TEXT("message", text)));
}

static const char *header_of(struct MHD_Connection *handle, const char *name)
{
	return MHD_lookup_connection_value(handle, MHD_HEADER_KIND, name);
}

/* RFC 9110, 8.3.1: the type's name in any case, parameters after a semicolon. */
static bool is_json(const char *content_type)
{
	static const char json[] = "application/json";
	const size_t len = sizeof(json) - 1;

	return content_type && strncasecmp(content_type, json, len) == 0 && strchr("; \t", content_type[len]);
}

/* True if the body has a transfer coding that is not supported, so that its end can't be found. */
static bool is_endless(struct MHD_Connection *handle)
{
	const char *encoding = header_of(handle, "Transfer-Encoding");

	return encoding && strcasecmp(encoding, "chunked") != 0;
}

/* The HTTP status if the head alone refuses the request, else 0. */
static unsigned check_head(struct MHD_Connection *handle, const char *url, const char *method, const char **ret_text)
{
	if (strcmp(url, REVIEW_PATH) != 0) {
		*ret_text = "unknown path: reviews go to " REVIEW_PATH;
		return MHD_HTTP_NOT_FOUND;
	}
	if (strcmp(method, "POST") != 0) {
		*ret_text = "reviews are sent with POST";
		return MHD_HTTP_METHOD_NOT_ALLOWED;
	}
	if (is_endless(handle)) {
		*ret_text = "Transfer-Encoding other than chunked is not supported";
		return MHD_HTTP_NOT_IMPLEMENTED;
	}
	if (!is_json(header_of(handle, "Content-Type"))) {
		*ret_text = "Content-Type is not application/json";
		return MHD_HTTP_UNSUPPORTED_MEDIA_TYPE;
	}
	return 0;
}

/* The library has already refused what is not a number, or is too large for it. */
static unsigned long long announced_length(struct MHD_Connection *handle)
{
	const char *length = header_of(handle, "Content-Length");

	return length && !header_of(handle, "Transfer-Encoding") ? strtoull(length, NULL, 10) : 0;
}

/*
 * A refusal must be answered before the body if the end of the body can't be found, or is too far away. But not just
 * because the client expects "100 Continue": it may send its body all the same, and never see the answer.
 */
static bool answers_before_body(struct MHD_Connection *handle, unsigned long long length)
{
	return is_endless(handle) || length > HTTP_REQUEST_DISCARD_MAX;
}

enum http_request_next http_request_begin(struct http_request *request, struct MHD_Connection *handle, const char *url,
					  const char *method)
{
	const unsigned long long length = announced_length(handle);
	const char *text = "";
	unsigned refusal = check_head(handle, url, method, &text);

	request->begun = clock_microseconds();
	if (!refusal && length > REVIEW_MAX_BODY) {
		refusal = MHD_HTTP_CONTENT_TOO_LARGE;
		text = too_large;
	}
	if (!refusal) {
		request->announced = (size_t)length;
		return HTTP_REQUEST_READ;
	}
	http_request_refuse(request, refusal, text);
	return answers_before_body(handle, length) ? HTTP_REQUEST_ANSWER : HTTP_REQUEST_READ;
}

bool http_request_add(struct http_request *request, const char *bytes, size_t len)
{
	atomic_fetch_add_explicit(&request->runtime->metrics.bytes_in, len, memory_order_relaxed);
	if (!request->refusal) {
		switch (body_add(&request->body, bytes, len, request->announced)) {
		case BODY_OK:
			return true;
		case BODY_TOO_LARGE:
			http_request_refuse(request, MHD_HTTP_CONTENT_TOO_LARGE, too_large);
			break;
		case BODY_NO_BUDGET:
			http_request_refuse(request, MHD_HTTP_SERVICE_UNAVAILABLE, HTTP_REQUEST_NO_MEMORY);
			break;
		}
	}
	request->discarded += len;
	if (request->discarded <= HTTP_REQUEST_DISCARD_MAX)
		return true;
	metrics_count_http_error(&request->runtime->metrics, request->refusal);
	return false;
}

enum MHD_Result http_request_answer_refusal(const struct http_request *request, struct MHD_Connection *handle)
{
	const bool close = atomic_load_explicit(&request->runtime->draining, memory_order_relaxed);
	struct reply reply = reply_of(request->refusal, close);

	if (reply.status == MHD_HTTP_METHOD_NOT_ALLOWED) {
		reply.header = "Allow";
		reply.value = "POST";
	}
	metrics_count_http_error(&request->runtime->metrics, request->refusal);
	return reply_text(handle, &reply, request->refusal_text);
}
