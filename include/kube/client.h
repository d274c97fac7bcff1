#ifndef KUBE_CLIENT_H
#define KUBE_CLIENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/compiler.h"
#include "base/error.h"
#include "kube/api.h"

/*
 * A client of the Kubernetes API over HTTPS, on libcurl: requests one at a time, and a few watches that go on beside
 * them. It speaks as the pod's service account, obeys no proxy variable, and reads the token anew for each request, as
 * the kubelet replaces it.
 * https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/
 *
 * A client belongs to one thread; kube_client_wake alone may be called from any. The first one initialises libcurl for
 * the whole process (nothing else in it may call curl_global_init), and the process must ignore SIGPIPE. What libcurl
 * frees is overwritten first; a token is in memory while its request or watch is open.
 */

enum { KUBE_WATCHES_MAX = 4 };

struct kube_client; /* private */

/* NULL where libcurl finds no memory. The config is copied. */
MUST_CHECK struct kube_client *kube_client_new(const struct kube_client_config *config, struct error *err);

/* Ends the watches too. NULL is allowed. */
void kube_client_free(struct kube_client *client);

/*
 * Sends a request and waits for its answer; watches go on meanwhile. The answer's bytes replace the content of
 * `answer`, whose maximum holds for it (buf_init_secret for what may hold a key). On anything but KUBE_OK it is empty,
 * and `err` says what the API server said, with the method and the path before it: one line, at most 500 bytes, without
 * long words of base64, as an API server may quote what it refuses. A request that ended with KUBE_UNAVAILABLE may have
 * been carried out all the same.
 */
MUST_CHECK enum kube_status kube_client_send(struct kube_client *client, const struct kube_request *request,
					     struct buf *answer, struct error *err);

/*
 * Watches the objects of a path (with its fieldSelector; the client adds watch=1 and a time-out of 240 to 300 s) from
 * the next wait or request on. A watch that ends is opened again, at once where it ended in order after 5 s or more,
 * else later and later up to 30 s with jitter. As each begins with what there is, and the opening itself is told (what
 * was deleted before it shows in nothing else), a change between two of them is never missed.
 */
MUST_CHECK int kube_client_watch(struct kube_client *client, const char *path, struct error *err);

/* Whether a watch could not be opened or broke, and is not open again. *ret_problem then says why. */
bool kube_client_watch_failed(const struct kube_client *client, struct error *ret_problem);

/*
 * Opens a long answer, one at a time, whose lines are taken during waits and requests until it ends: by itself, when its
 * seconds and some more are over, or by another call of this. The request is copied.
 */
MUST_CHECK int kube_client_stream(struct kube_client *client, const struct kube_stream_request *request,
				  struct error *err);

/* Whether the stream is open. Where it is not, *ret_status says how the last one ended: KUBE_OK in order. */
bool kube_client_streams(const struct kube_client *client, enum kube_status *ret_status, struct error *ret_problem);

/* Whether it is open and its answer has begun. */
bool kube_client_stream_has_begun(const struct kube_client *client);

/* Ends the stream, if there is one. */
void kube_client_end_stream(struct kube_client *client);

/*
 * Waits until a watch tells of an object or is opened, the stream begins to answer, brings a line or ends,
 * kube_client_wake is called, or the time (milliseconds) is over. True for all but the last. Changes that come in a
 * burst are told once.
 */
bool kube_client_wait(struct kube_client *client, unsigned milliseconds);

/*
 * Ends a wait, the present or the next one; until then requests, one under way too, are cut: KUBE_UNAVAILABLE and
 * "interrupted". From any thread that knows the client to be there still.
 */
void kube_client_wake(struct kube_client *client);

#endif
