#ifndef KUBE_CLIENT_H
#define KUBE_CLIENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/compiler.h"
#include "base/error.h"

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

enum {
	KUBE_ANSWER_MAX = 4 * 1024 * 1024, /* bytes of one answer: objects end at 1.5 MiB or so */
	KUBE_WATCHES_MAX = 4,
	KUBE_LINE_MAX = 2 * 1024 * 1024, /* bytes of a line of a stream */
};

/* What became of a request, as far as callers act differently. */
enum kube_status {
	KUBE_OK,
	KUBE_NOT_FOUND,   /* 404, and the API server says that it is the object */
	KUBE_CONFLICT,    /* 409, and 422 for a JSON patch that does not fit (its `test` failed): read again */
	KUBE_FORBIDDEN,   /* 401, 403 */
	KUBE_GONE,        /* 410: the version, or the place in a list, is too old */
	KUBE_TOO_LARGE,   /* the answer does not fit into its buffer */
	KUBE_REFUSED,     /* another 4xx, a redirect: trying again as it is won't help */
	KUBE_UNAVAILABLE, /* no token, no connection, no whole answer in time, another 404, 408, 429, 5xx: try later */
};

struct kube_client_config {
	char server[300];  /* "https://10.96.0.1:443", an IPv6 address in brackets */
	char ca_file[300]; /* PEM: whom the API server's certificate is checked against */
	char token_file[300];
	char namespace[64]; /* of the pod */
	unsigned timeout;   /* seconds for one request, 10 where 0 */
};

/*
 * The configuration of a pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT, and the files `ca.crt`, `token` and
 * `namespace` of the folder that the kubelet mounts. ERROR_INVALID where there is no such pod.
 */
MUST_CHECK int kube_find_in_cluster(const char *folder, struct kube_client_config *ret_config, struct error *err);

struct kube_client; /* private */

/* NULL where libcurl finds no memory. The config is copied. */
MUST_CHECK struct kube_client *kube_client_new(const struct kube_client_config *config, struct error *err);

/* Ends the watches too. NULL is allowed. */
void kube_client_free(struct kube_client *client);

#define KUBE_MERGE_PATCH "application/merge-patch+json" /* https://www.rfc-editor.org/rfc/rfc7386 */

struct kube_request {
	const char *method;       /* "GET", "PATCH", … */
	const char *path;         /* with its query: "/api/v1/namespaces/ns/secrets/name" */
	const char *content_type; /* of the body */
	const char *accept;       /* NULL: application/json */
	const char *body;         /* NULL: none */
	unsigned timeout;         /* milliseconds, all in all; 0: as the client's configuration says */
};

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
 * Takes a line, without its end; it ends with the call, and line[len] is '\0'. NULL for one of more than KUBE_LINE_MAX
 * bytes. Must not call the client.
 */
struct kube_lines {
	void *context;
	void (*take)(void *context, const char *line, size_t len);
};

/*
 * Opens a long answer, one at a time, whose lines are taken during waits and requests until it ends: by itself, after
 * `seconds` and some, or by another call of this.
 */
MUST_CHECK int kube_client_stream(struct kube_client *client, const char *path, unsigned seconds,
				  const struct kube_lines *lines, struct error *err);

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
