#ifndef ROTATION_CONFIG_H
#define ROTATION_CONFIG_H

#include <stdbool.h>
#include <time.h>

#include "base/error.h"
#include "kube/api.h"
#include "pki/keypair.h"
#include "pki/service_names.h"
#include "rotation/rotation.h"

/*
 * What certificates that manage themselves need to know, and whom they report to.
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

#endif
