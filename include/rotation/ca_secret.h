/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ROTATION_CA_SECRET_H
#define ROTATION_CA_SECRET_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/compiler.h"
#include "base/error.h"
#include "kube/object.h"
#include "pki/keypair.h"
#include "pki/mint.h"
#include "rotation/rotation.h"

/*
 * The Secret that all replicas share, read from and written as JSON of the Kubernetes API; no I/O. Its data:
 *
 *   ca.crt, ca.key      the CA that signs
 *   next.crt, next.key  the next CA: while it replaces the current one, or in a new Secret
 *   retired.crt         those that signed before, concatenated, the newest first
 *   promoted-at         when ca.crt was first seen to be the one that signs (RFC 3339, UTC), if that was noted
 *
 * Anything else in it is not ours, and is left alone. An empty value counts as missing.
 *
 * The annotation tfconfig.dev/rotate, of any value, asks for a rotation; the replica that starts one removes it.
 *
 * Everything read lives in the struct, and is wiped at its release. Not thread-safe; different structs are independent.
 */

/*
 * Common name of our CAs, including those of `certs` and those that cert-manager makes for us. A CA of another name is
 * not ours.
 */
#define CA_SECRET_COMMON_NAME MINT_CA_NAME

enum {
	CA_SECRET_KEYS = 6,
	CA_SECRET_RETIRED_MAX = ROTATION_CAS_MAX * KEYPAIR_CERTIFICATE_MAX, /* bytes of PEM */
};

struct ca_secret {
	enum rotation_secret state;        /* MISSING after the init */
	char problem[256];                 /* for BROKEN: which key, and what is wrong with it */
	char version[OBJECT_VERSION_SIZE]; /* metadata.resourceVersion */
	bool rotation_asked;
	struct keypair current, next; /* empty if there is none; certificates are PEM as OpenSSL writes it */
	struct buf retired;           /* PEM, likewise */
	time_t promoted_at;
	struct {
		bool data, annotation, keys[CA_SECRET_KEYS];
	} held; /* what the Secret had when it was read: ca_secret_patch changes that */
};

void ca_secret_init(struct ca_secret *secret);
void ca_secret_release(struct ca_secret *secret);

/*
 * Reads a Secret as the API server sent it, into an initialised struct. Bad data is not a failure, but the state
 * BROKEN: half of a pair is missing, a value is not PEM, not a pair, not a CA, a CA of another name, not a time or not
 * base64, retired.crt holds something else, or the Secret is immutable. -1 with ERROR_INVALID if the text is not a
 * Secret, or with ERROR_NO_MEMORY; the struct is then as it was after the init.
 *
 * json[len] must be '\0'. Copies of the keys stay in the arena until the caller wipes its memory.
 */
MUST_CHECK int ca_secret_parse(struct arena *arena, const char *json, size_t len, struct ca_secret *secret,
			       struct error *err);

/* Fills in the part of the view that comes from the Secret. */
MUST_CHECK int ca_secret_view(const struct ca_secret *secret, struct rotation_view *view, struct error *err);

/*
 * Adds the bundle to publish: next, current, then retired, in PEM; nothing for a Secret that is not sound. The order is
 * from newest to oldest, so that a promotion does not change the bundle.
 */
MUST_CHECK int ca_secret_bundle(const struct ca_secret *secret, struct buf *ret_bundle, struct error *err);

/* Next becomes current; current becomes the first retired one, and its key is wiped; promoted_at is cleared. */
MUST_CHECK int ca_secret_promote(struct ca_secret *secret, struct error *err);

/* Replaces the retired CAs by `retired` (see registration_foreign), which is left empty; clears promoted_at. */
void ca_secret_adopt(struct ca_secret *secret, struct buf *retired);

/*
 * Adds the JSON patch that turns the Secret's data into what `secret` holds now. The patch tests resourceVersion, and
 * removes the annotation unless rotation_asked is set. The body holds keys, so it must be a secret buffer.
 * ERROR_INVALID for a Secret that is broken or missing.
 */
MUST_CHECK int ca_secret_patch(const struct ca_secret *secret, struct buf *ret_body, struct error *err);

/* Adds an empty Secret for a server-side apply (a role can restrict that to one name, but not a POST). */
MUST_CHECK int ca_secret_empty(const char *namespace, const char *name, struct buf *ret_body, struct error *err);

#endif
