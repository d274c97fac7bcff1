/* SPDX-License-Identifier: Apache-2.0 */
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
 * The configuration of certificates that manage themselves, and the observer that they report to.
 */

struct certificates_config {
	struct kube_client_config client;
	const char *secret;         /* the Secret's name, in the pod's namespace; like all strings here, borrowed */
	const char *registration;   /* the MutatingWebhookConfiguration's name */
	struct service_names names; /* of the serving certificate; API servers ask for the first */
	struct rotation_times times;
	const char *host; /* of this replica's own TLS port, for the self-check */
	unsigned port;
};

/* Callbacks, called in the thread. */
struct certificates_observer {
	void *context;
	/* A certificate to serve from now on, borrowed for the call. */
	int (*serve)(void *context, const struct keypair *leaf, struct error *err);
	/* A step was taken. */
	void (*took)(void *context, enum rotation_step step);
	/* What keeps it from working, once for each problem, whatever its numbers; NULL: it has passed. */
	void (*trouble)(void *context, const char *message);
	/* What a look has found: why the replica should get no requests (static memory; NULL: it should), … */
	void (*ready)(void *context, const char *reason);
	/* … whether both webhooks are registered, … */
	void (*registered)(void *context, bool registered);
	/* … and when the current CA expires. */
	void (*ca_expiry)(void *context, time_t not_after);
};

#endif
