/* SPDX-License-Identifier: Apache-2.0 */
#include "net/reply.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 256 };

/* Bytes to be sent, and the budget that they are charged to. */
struct charged {
	struct budget *budget;
	size_t size; /* of the whole struct with its bytes */
	char bytes[];
};

struct reply reply_of(unsigned status, bool close)
{
	struct reply reply = {.status = status, .close = close};

	if (status == MHD_HTTP_SERVICE_UNAVAILABLE) {
		reply.header = "Retry-After";
		reply.value = "1";
	}
	return reply;
}

enum MHD_Result reply_queue(struct MHD_Connection *connection, const struct reply *reply, struct MHD_Response *response)
{
	bool complete;
	enum MHD_Result queued = MHD_NO;

	if (!response)
		return MHD_NO;
	complete = MHD_add_response_header(response, "Content-Type", reply->content_type) == MHD_YES;
	if (reply->header)
		complete &= MHD_add_response_header(response, reply->header, reply->value) == MHD_YES;
	if (reply->close)
		complete &= MHD_add_response_header(response, "Connection", "close") == MHD_YES;
	if (complete)
		queued = MHD_queue_response(connection, reply->status, response);
	MHD_destroy_response(response);
	return queued;
}

enum MHD_Result reply_text(struct MHD_Connection *connection, const struct reply *reply, const char *text)
{
	char line[TEXT_MAX];
	const size_t len = (size_t)snprintf(line, sizeof(line), "%.*s\n", TEXT_MAX - 2, text);
	struct reply plain = *reply;

	plain.content_type = "text/plain; charset=utf-8";
	return reply_queue(connection, &plain, MHD_create_response_from_buffer(len, line, MHD_RESPMEM_MUST_COPY));
}

enum MHD_Result reply_owned(struct MHD_Connection *connection, const struct reply *reply, char *bytes, size_t len)
{
	struct MHD_Response *response = MHD_create_response_from_buffer(len, bytes, MHD_RESPMEM_MUST_FREE);

	if (!response)
		free(bytes);
	return reply_queue(connection, reply, response);
}

static void free_charged(void *context)
{
	struct charged *charged = context;
	struct budget *budget = charged->budget;
	const size_t size = charged->size;

	free(charged);
	budget_give(budget, size);
}

struct MHD_Response *reply_make_copy(struct budget *budget, const char *bytes, size_t len)
{
	const size_t size = sizeof(struct charged) + len;
	struct MHD_Response *response;
	struct charged *charged;

	if (!budget_take(budget, size))
		return NULL;
	charged = malloc(size);
	if (!charged) {
		budget_give(budget, size);
		return NULL;
	}
	*charged = (struct charged){.budget = budget, .size = size};
	memcpy(charged->bytes, bytes, len);
	response = MHD_create_response_from_buffer_with_free_callback_cls(len, charged->bytes, free_charged, charged);
	if (!response)
		free_charged(charged);
	return response;
}
