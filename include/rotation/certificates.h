#ifndef ROTATION_CERTIFICATES_H
#define ROTATION_CERTIFICATES_H

#include <stdbool.h>
#include <time.h>

#include "base/compiler.h"
#include "base/error.h"
#include "kube/client.h"
#include "pki/keypair.h"
#include "pki/service_names.h"
#include "rotation/rotation.h"

/*
 * Certificates that manage themselves: a thread that keeps the shared CA in a Secret, its certificate in the
 * registration, and a serving certificate for this replica, whose key is never stored. It takes the steps that
 * rotation.h decides, whenever an object changes, something falls due, or half a minute has passed.
 *
 * The API server may be away for as long as it likes: the thread asks again, later and later, and what was true before
 * stays so, readiness too.
 */

struct certificates_config {
	struct kube_client_config client;
	const char *secret;         /* the Secret's name, in the pod's namespace; as all strings here: borrowed */
	const char *registration;   /* the MutatingWebhookConfiguration's name */
	struct service_names names; /* what the serving certificate is for; the first is the one that is asked for */
	struct rotation_times times;
	const char *host; /* where this replica's own TLS port is, for the self-check */
	unsigned port;
};

/* What the thread tells, called in it. */
struct certificates_observer {
	void *context;
	/* A certificate to serve from now on, borrowed for the call. */
	int (*serve)(void *context, const struct keypair *leaf, struct error *err);
	/* A step was taken. */
	void (*took)(void *context, enum rotation_step step);
	/* What keeps it from its work, told once for as long as it lasts, but for numbers; NULL: it has passed. */
	void (*trouble)(void *context, const char *message);
	/* What a look has found: why no requests should come (static memory; NULL: they should), … */
	void (*ready)(void *context, const char *reason);
	/* … whether both webhooks are registered, … */
	void (*registered)(void *context, bool registered);
	/* … and when the CA that signs ends. */
	void (*ca_expiry)(void *context, time_t not_after);
};

struct certificates; /* private */

/* Starts the thread; config and observer are copied. On failure there is nothing to release. */
MUST_CHECK struct certificates *certificates_start(const struct certificates_config *config,
						   const struct certificates_observer *observer, struct error *err);

/* Ends it, also in the middle of a request. NULL is allowed. */
void certificates_stop(struct certificates *certificates);

#endif
