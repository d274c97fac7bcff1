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
 * The one answer of a client that is read line by line while it goes on. Internal to src/kube. Times are milliseconds of
 * the monotonic clock.
 */

struct stream {
	char *path; /* owned; NULL: not open */
	struct transfer transfer;
	struct kube_lines lines;
	struct buf line;    /* as far as it has come */
	struct buf refusal; /* what is answered instead of lines */
	uint64_t due;       /* by when the answer must have begun */
	bool answered;
	bool skipping;           /* the rest of a line that was too long */
	bool news;               /* the answer began, a line came, or the end */
	enum kube_status status; /* how it ended */
	struct error problem;
};

void stream_init(struct stream *stream);

/* Opens it on an initialised or ended stream. */
MUST_CHECK int stream_open(struct stream *stream, const struct transfer_context *context,
			   const struct kube_stream_request *request, uint64_t now, struct error *err);

/* Ends it, if it is open. */
void stream_close(struct stream *stream, CURLM *multi);

/* To call when libcurl is done with the transfer. */
void stream_ended(struct stream *stream, const struct transfer_context *context, CURLcode code);

/* Gives up on an answer that does not begin. */
void stream_tend(struct stream *stream, CURLM *multi, uint64_t now);

/* When to tend it, though nothing was received. */
uint64_t stream_next(const struct stream *stream);

#endif
