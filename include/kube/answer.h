#ifndef KUBE_ANSWER_H
#define KUBE_ANSWER_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/compiler.h"
#include "base/error.h"
#include "kube/api.h"

/*
 * What an answer of the API server means, and the words for people when it is no good. No I/O; internal to src/kube.
 */

/* KUBE_OK for 2xx; else sets err: method, path, code, and the message of the Status that the body may hold. */
MUST_CHECK enum kube_status answer_classify(struct arena *arena, const struct kube_request *request, long code,
					    const struct buf *body, struct error *err);

/*
 * The message of a Status, or of the event of a watch that carries one: a line without control characters, with each
 * long word of base64 left out, as the API server may quote an object that it refuses. "" where there is none. Borrowed
 * from the arena, which is reset first.
 */
const char *answer_message(struct arena *arena, const struct buf *body);

/* Sets "METHOD PATH: text", the path without its query, cut where it is long. Returns -1. */
int answer_failed(const struct kube_request *request, enum error_code code, const char *text, struct error *err);

#endif
