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
 * The MutatingWebhookConfiguration, as JSON of the Kubernetes API in and out; no I/O. Everything lives in the caller's
 * arena until its reset.
 */

enum { REGISTRATION_WEBHOOKS_MAX = 16 };

struct registration {
	char version[OBJECT_VERSION_SIZE]; /* metadata.resourceVersion */
	bool complete;       /* both of our webhooks are there: statefulsets.tfconfig.dev and pods.tfconfig.dev */
	const char *missing; /* where not: the name of the first that is not; static */
	unsigned count;
	struct {
		const char *name;
		const char *bundle; /* PEM, decoded; "" where there is none, it is no base64, or it has a NUL */
	} webhooks[REGISTRATION_WEBHOOKS_MAX];
};

/*
 * -1 with ERROR_INVALID where the text is no MutatingWebhookConfiguration, or one with more webhooks, or with one that
 * has no name or no clientConfig; or with ERROR_NO_MEMORY. json[len] must be '\0'.
 */
MUST_CHECK int registration_parse(struct arena *arena, const char *json, size_t len, struct registration *ret,
				  struct error *err);

/* Whether every webhook has exactly this bundle, which is not "". */
bool registration_has(const struct registration *registration, const char *bundle);

/*
 * Adds to an empty buffer what the Secret's retired CAs are with those of ours (by their name) in any webhook's bundle
 * that the Secret does not know: each once, the newest first, and no more than ROTATION_CAS_MAX - 1, so that a next one
 * can stand beside them. Returns how many of them are new to the Secret, or -1. What is no certificate is passed over.
 * For a Secret that was lost: see ca_secret_adopt.
 */
MUST_CHECK int registration_foreign(const struct registration *registration, const struct ca_secret *secret,
				    struct buf *ret_retired, struct error *err);

/* Adds the JSON patch that gives each webhook the bundle, tested against resourceVersion and each webhook's name. */
MUST_CHECK int registration_patch(struct arena *arena, const struct registration *registration, const char *bundle,
				  struct buf *ret_body, struct error *err);

#endif
