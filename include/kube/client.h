/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_CLIENT_H
#define KUBE_CLIENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/compiler.h"
#include "base/error.h"
#include "kube/api.h"

/*
 * A client of the Kubernetes API over HTTPS, on libcurl: one request at a time, and a few watches that continue
 * meanwhile. It authenticates as the pod's service account, ignores proxy variables, and reads the token again for each
 * request, because the kubelet replaces it.
 * https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/
 *
 * A client belongs to one thread; only kube_client_wake may be called from any. The first client initialises libcurl
 * for the whole process (nothing else in it may call curl_global_init), and the process must ignore SIGPIPE. Memory
 * that libcurl frees is overwritten first; a token is in memory while its request or watch is open.
 */

enum { KUBE_WATCHES_MAX = 4 };

struct kube_client; /* private */

/* NULL if there is no memory. The config is copied. */
MUST_CHECK struct kube_client *kube_client_new(const struct kube_client_config *config, struct error *err);

/* Closes the watches too. NULL is allowed. */
void kube_client_free(struct kube_client *client);

/*
 * Sends a request and waits for its answer; watches continue meanwhile. The answer's bytes replace the content of
 * `answer`, whose maximum applies (use buf_init_secret for what may hold a key). On anything but KUBE_OK it is empty,
 * and `err` holds the method, the path and what the API server said: one line, at most 500 bytes, without long words of
 * base64, since an API server may quote what it refuses. A request that ended with KUBE_UNAVAILABLE may have been
 * carried out all the same.
 */
MUST_CHECK enum kube_status kube_client_send(struct kube_client *client, const struct kube_request *request,
					     struct buf *answer, struct error *err);

/*
 * Watches the objects of a path (with its fieldSelector; the client adds watch=1 and a time-out of 240 to 300 s),
 * starting with the next wait or request. A watch that ends is opened again: at once if it ended regularly after 5 s or
 * more, otherwise with growing delays of up to 30 s, with jitter. A change between two watches is never missed, because
 * each starts with the objects that exist, and the opening itself counts as news (nothing else shows a deletion).
 */
MUST_CHECK int kube_client_watch(struct kube_client *client, const char *path, struct error *err);

/* Whether a watch could not be opened, or broke and is not open again. *ret_problem then says why. */
bool kube_client_watch_failed(const struct kube_client *client, struct error *ret_problem);

/*
 * Opens a stream, one at a time, whose lines are taken during waits and requests until it ends: by itself, some time
 * after its seconds are over, or by another call of this. The request is copied.
 */
MUST_CHECK int kube_client_open_stream(struct kube_client *client, const struct kube_stream_request *request,
				       struct error *err);

/* Whether the stream is open. If not, *ret_status says how the last one ended (KUBE_OK: regularly). */
bool kube_client_stream_is_open(const struct kube_client *client, enum kube_status *ret_status,
				struct error *ret_problem);

/* Whether it is open and its answer has started. */
bool kube_client_stream_has_started(const struct kube_client *client);

/* Closes the stream, if there is one. */
void kube_client_close_stream(struct kube_client *client);

/*
 * Waits until a watch reports an object or is opened, the stream starts to answer, brings a line or ends,
 * kube_client_wake is called, or the time (milliseconds) is over. True for all but the last. A burst of changes counts
 * once.
 */
bool kube_client_wait(struct kube_client *client, unsigned milliseconds);

/*
 * Ends a wait, the current or the next one. Until then requests, including one under way, are interrupted:
 * KUBE_UNAVAILABLE. May be called from any thread, as long as the client exists.
 */
void kube_client_wake(struct kube_client *client);

#endif
