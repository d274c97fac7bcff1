/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_TRANSFER_H
#define KUBE_TRANSFER_H

#include <curl/curl.h>

#include "base/arena.h"
#include "base/compiler.h"
#include "base/error.h"
#include "kube/api.h"

/*
 * A request to the API server as a libcurl handle, ready for a multi handle: what requests, watches and streams share.
 * Internal to src/kube.
 */

struct transfer {
	CURL *easy; /* NULL: there is none */
	struct curl_slist *headers;
	char details[CURL_ERROR_SIZE];
};

/* What all transfers of a client share; borrowed. */
struct transfer_context {
	const struct kube_client_config *config;
	CURLM *multi;
	struct arena *arena; /* for the API server's messages */
};

/* Where libcurl puts the body's bytes: a CURLOPT_WRITEFUNCTION and its argument. */
struct transfer_sink {
	curl_write_callback write;
	void *context;
};

/*
 * Reads the token and makes the handle. The request's body and the transfer must not move until the release. `timeout`
 * is in milliseconds. On failure there is nothing to release.
 */
MUST_CHECK int transfer_init(struct transfer *transfer, const struct kube_client_config *config,
			     const struct kube_request *request, unsigned timeout, const struct transfer_sink *sink,
			     struct error *err);

/* Frees the handle, which must not be in a multi handle any more, and wipes the token. Accepts an empty transfer. */
void transfer_release(struct transfer *transfer);

/* The HTTP code of the answer, 0 before it has started. */
long transfer_code(const struct transfer *transfer);

#endif
