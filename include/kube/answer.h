/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_ANSWER_H
#define KUBE_ANSWER_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/compiler.h"
#include "base/error.h"
#include "kube/api.h"

/*
 * What an answer of the API server means, and the message for people if it is not a success. No I/O; internal to
 * src/kube.
 */

/* KUBE_OK for 2xx; else sets err: method, path, code, and the message of the Status in the body, if there is one. */
MUST_CHECK enum kube_status answer_classify(struct arena *arena, const struct kube_request *request, long code,
					    const struct buf *body, struct error *err);

/*
 * The message of a Status, or of a watch event that contains one: one line without control characters and without long
 * words of base64, since the API server may quote an object that it refuses. "" if there is none. Borrowed from the
 * arena, which is reset first.
 */
const char *answer_message(struct arena *arena, const struct buf *body);

/* Sets "METHOD PATH: text", with the path cut if it is long, and without its query. Returns -1. */
int answer_failed(const struct kube_request *request, enum error_code code, const char *text, struct error *err);

#endif
