/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_API_H
#define KUBE_API_H

#include <stddef.h>

/*
 * Requests to the Kubernetes API and its answers: the types that the client and its parts share.
 */

enum {
	KUBE_ANSWER_MAX = 4 * 1024 * 1024, /* bytes of one answer: objects have at most 1.5 MiB or so */
	KUBE_LINE_MAX = 2 * 1024 * 1024,   /* bytes of one line of a stream */
};

/* The result of a request, as far as callers treat results differently. */
enum kube_status {
	KUBE_OK,
	KUBE_NOT_FOUND,   /* 404 by the API server itself: there is no such object */
	KUBE_CONFLICT,    /* 409, and 422 for a JSON patch that does not apply (its `test` failed): read again */
	KUBE_FORBIDDEN,   /* 401, 403 */
	KUBE_GONE,        /* 410: the version, or the place in a list, is too old */
	KUBE_TOO_LARGE,   /* the answer does not fit into its buffer */
	KUBE_REFUSED,     /* another 4xx, a redirect: sending the same again won't help */
	KUBE_UNAVAILABLE, /* no token, no connection, no whole answer in time, another 404, 408, 429, 5xx: try later */
};

struct kube_client_config {
	char server[300];  /* "https://10.96.0.1:443", an IPv6 address in brackets */
	char ca_file[300]; /* PEM: the CAs that verify the API server's certificate */
	char token_file[300];
	char namespace[64]; /* of the pod */
	unsigned timeout;   /* seconds for one request; 0: 10 */
};

#define KUBE_MERGE_PATCH "application/merge-patch+json" /* https://www.rfc-editor.org/rfc/rfc7386 */

struct kube_request {
	const char *method;       /* "GET", "PATCH", … */
	const char *path;         /* with its query: "/api/v1/namespaces/ns/secrets/name" */
	const char *content_type; /* of the body */
	const char *accept;       /* NULL: application/json */
	const char *body;         /* NULL: none */
	unsigned timeout;         /* milliseconds, in total; 0: as the client's configuration says */
};

/*
 * Takes one line, without its newline; line[len] is '\0'. Borrowed for the call. NULL stands for a line of more than
 * KUBE_LINE_MAX bytes. Must not call the client.
 */
struct kube_lines {
	void *context;
	void (*take)(void *context, const char *line, size_t len);
};

/* A long answer that is read line by line while it comes. */
struct kube_stream_request {
	const char *path; /* with its query */
	unsigned seconds; /* after which the API server ends it, as the query asks it to */
	struct kube_lines lines;
};

#endif
