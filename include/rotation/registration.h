/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ROTATION_REGISTRATION_H
#define ROTATION_REGISTRATION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/compiler.h"
#include "base/error.h"
#include "kube/object.h"
#include "rotation/ca_secret.h"

/*
 * The MutatingWebhookConfiguration, read from and written as JSON of the Kubernetes API; no I/O. Everything lives in
 * the caller's arena until its reset.
 */

enum { REGISTRATION_WEBHOOKS_MAX = 16 };

struct registration {
	char version[OBJECT_VERSION_SIZE]; /* metadata.resourceVersion */
	bool complete;       /* both of our webhooks are there: statefulsets.tfconfig.dev and pods.tfconfig.dev */
	const char *missing; /* if not: the name of the first that is missing; static */
	unsigned count;
	struct {
		const char *name;
		const char *bundle; /* PEM, decoded; "" if there is none, it is not base64, or it has a NUL */
	} webhooks[REGISTRATION_WEBHOOKS_MAX];
};

/*
 * -1 with ERROR_INVALID if the text is not a MutatingWebhookConfiguration, has too many webhooks, or has one without a
 * name or clientConfig; or with ERROR_NO_MEMORY. json[len] must be '\0'.
 */
MUST_CHECK int registration_parse(struct arena *arena, const char *json, size_t len,
				  struct registration *ret_registration, struct error *err);

/* Whether there are webhooks, and each has exactly this bundle; false for "". */
bool registration_has(const struct registration *registration, const char *bundle);

/*
 * Adds to an empty buffer the Secret's retired CAs and, from the bundles of all webhooks, those of our CAs (by name)
 * that the Secret does not know: each once, the newest first, and at most ROTATION_CAS_MAX - 1, so that there is room
 * for a next one. Returns how many of them are new to the Secret, or -1. Anything that is not a certificate is skipped.
 * For a Secret that was lost: see ca_secret_adopt.
 */
MUST_CHECK int registration_foreign(const struct registration *registration, const struct ca_secret *secret,
				    struct buf *ret_retired, struct error *err);

/* Adds the JSON patch that gives each webhook the bundle. It tests resourceVersion and each webhook's name. */
MUST_CHECK int registration_patch(struct arena *arena, const struct registration *registration, const char *bundle,
				  struct buf *ret_body, struct error *err);

#endif
