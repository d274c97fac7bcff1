/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_STREAM_H
#define KUBE_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/compiler.h"
#include "base/error.h"
#include "kube/api.h"
#include "kube/transfer.h"

/*
 * A client's one answer that is read line by line while it comes. Internal to src/kube; belongs to the thread of the
 * client. Times are milliseconds of the monotonic clock.
 */

struct stream {
	char *path; /* owned; NULL: not open */
	struct transfer transfer;
	struct kube_lines lines;
	struct buf line;    /* as far as it was received */
	struct buf refusal; /* the answer, if it is not lines */
	uint64_t due;       /* by when the answer must have started */
	bool answered;
	bool skipping;           /* the rest of a line that is too long */
	bool news;               /* the answer started, a line came, or it ended */
	enum kube_status status; /* how it ended */
	struct error problem;
};

void stream_init(struct stream *stream);

/* Opens an initialised or closed stream. */
MUST_CHECK int stream_open(struct stream *stream, const struct transfer_context *context,
			   const struct kube_stream_request *request, uint64_t now, struct error *err);

/* Closes it, if it is open. */
void stream_close(struct stream *stream, CURLM *multi);

/* Call it when libcurl is done with the transfer. */
void stream_ended(struct stream *stream, const struct transfer_context *context, CURLcode code);

/* Gives up on an answer that does not start in time. */
void stream_tend(struct stream *stream, CURLM *multi, uint64_t now);

/* When to tend it, even if nothing was received. */
uint64_t stream_next(const struct stream *stream);

#endif
