/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ROTATION_REPLICA_H
#define ROTATION_REPLICA_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/compiler.h"
#include "base/error.h"
#include "kube/client.h"
#include "rotation/ca_secret.h"
#include "rotation/config.h"
#include "rotation/registration.h"
#include "rotation/rotation.h"

/*
 * What one replica of the webhook knows about the certificates, and how it looks at the objects that all replicas
 * share. take_step.h acts on a look. Internal to src/rotation, and used only by the thread of certificates.h.
 */

enum {
	REPLICA_ARENA_SIZE = 4 * 1024 * 1024, /* bytes for answers as JSON; untouched pages cost nothing */
	REPLICA_BUNDLE_MAX = ROTATION_CAS_MAX * KEYPAIR_CERTIFICATE_MAX,
	REPLICA_PATH_MAX = 512,
};

struct replica {
	struct certificates_config config;
	struct certificates_observer observer;
	struct kube_client *client; /* owned */
	char secret_path[REPLICA_PATH_MAX], registration_path[REPLICA_PATH_MAX];
	void *memory; /* of the arena; owned */
	struct arena arena;

	bool has_leaf;
	struct rotation_ca leaf; /* the certificate that it serves */
	char leaf_issuer[65];
	char settling[65];       /* the CA that is published but does not sign yet, "" for none */
	uint64_t settling_since; /* clock_milliseconds */
};

/* What one look at the shared objects has found. */
struct look {
	time_t read_at;                    /* wall clock, before anything was read */
	bool has_registration, has_secret; /* each could be read, if only to find that it is missing */
	struct error problem;              /* otherwise: the first problem */
	struct ca_secret secret;
	struct registration registration; /* in the arena; all zeros where there is none */
	struct buf bundle;                /* the one that the Secret asks for, PEM */
	struct rotation_view view;
};

/* On failure there is nothing to release. */
MUST_CHECK int replica_init(struct replica *replica, const struct certificates_config *config,
			    const struct certificates_observer *observer, struct error *err);
void replica_release(struct replica *replica);

/* An empty look. It borrows from the replica's arena, so there is one at a time. */
void replica_look_init(struct look *look);

/* Wipes the look and the arena. */
void replica_look_release(struct look *look, struct replica *replica);

/*
 * Reads the registration, then the Secret: see rotation.h. If one can't be read, its part of the view asks for nothing,
 * so certificates are renewed even while the registration is out of reach. look->problem says what failed.
 */
void replica_take_look(struct look *look, struct replica *replica);

/* Updates the look with the certificate that the replica serves. */
void replica_look_see_leaf(struct look *look, const struct replica *replica);

#endif
