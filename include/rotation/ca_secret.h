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
 * The Secret that all replicas share, as JSON of the Kubernetes API in and out; no I/O. Its data:
 *
 *   ca.crt, ca.key      the CA that signs
 *   next.crt, next.key  while it is replaced, or in a new Secret: the next one
 *   retired.crt         those that signed before, one after the other, the newest first
 *   promoted-at         when ca.crt was first seen to sign (RFC 3339, UTC), where that was noted
 *
 * What else it holds is not ours, and stays. An empty value counts as none.
 *
 * The annotation tfconfig.dev/rotate, of any value, asks for a rotation; who begins one removes it.
 *
 * What is read lives in the struct and is wiped at its release.
 */

/* Of our CAs, `certs` and cert-manager's for us among them: who has another name is not ours. */
#define CA_SECRET_COMMON_NAME MINT_CA_NAME

enum {
	CA_SECRET_KEYS = 6,
	CA_SECRET_RETIRED_MAX = ROTATION_CAS_MAX * KEYPAIR_CERTIFICATE_MAX, /* bytes of PEM */
};

struct ca_secret {
	enum rotation_secret state;        /* MISSING after the init */
	char problem[256];                 /* for BROKEN: which key and what is wrong with it */
	char version[OBJECT_VERSION_SIZE]; /* metadata.resourceVersion */
	bool rotation_asked;
	struct keypair current, next; /* empty where there is none; the certificates as OpenSSL writes them */
	struct buf retired;           /* PEM, likewise */
	time_t promoted_at;
	struct {
		bool data, annotation, keys[CA_SECRET_KEYS];
	} held; /* what there was when it was read: ca_secret_patch changes that */
};

void ca_secret_init(struct ca_secret *secret);
void ca_secret_release(struct ca_secret *secret);

/*
 * Reads a Secret as the API server sent it, into an initialised struct. What is wrong with its data is no failure but
 * the state BROKEN: a key without its other half, no PEM, not a pair, no CA, a CA of another name, a retired.crt with
 * something else in it, no time, no base64; or it is immutable. -1 with ERROR_INVALID where the text is no Secret, and
 * ERROR_NO_MEMORY; the struct is then as after the init.
 *
 * json[len] must be '\0'. The arena keeps copies of the keys until the caller wipes its memory.
 */
MUST_CHECK int ca_secret_parse(struct arena *arena, const char *json, size_t len, struct ca_secret *secret,
			       struct error *err);

/* Fills the view's part that the Secret tells. */
MUST_CHECK int ca_secret_view(const struct ca_secret *secret, struct rotation_view *view, struct error *err);

/*
 * Adds the bundle to publish: next, current, then retired, in PEM; nothing for a Secret that is not sound. From the
 * newest to the oldest, so that a promotion does not change it.
 */
MUST_CHECK int ca_secret_bundle(const struct ca_secret *secret, struct buf *ret_bundle, struct error *err);

/* Next becomes current, current the first of the retired, its key wiped, and promoted_at is not noted yet. */
MUST_CHECK int ca_secret_promote(struct ca_secret *secret, struct error *err);

/* The retired ones become `retired` (see registration_foreign), which is left empty; promoted_at is not noted. */
void ca_secret_adopt(struct ca_secret *secret, struct buf *retired);

/*
 * Adds the JSON patch that makes the Secret's data what `secret` holds now, tested against its resourceVersion; it takes
 * the annotation away unless rotation_asked is set. The body holds keys: let it be a secret buffer. ERROR_INVALID for a
 * Secret that is broken or missing.
 */
MUST_CHECK int ca_secret_patch(const struct ca_secret *secret, struct buf *ret_body, struct error *err);

/* Adds the empty Secret for a server-side apply (which may be named in a role, where a POST can't). */
MUST_CHECK int ca_secret_empty(const char *namespace, const char *name, struct buf *ret_body, struct error *err);

#endif
