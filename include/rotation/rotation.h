/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ROTATION_ROTATION_H
#define ROTATION_ROTATION_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

/*
 * What to do next about the CA and this replica's certificate: a pure function from the current state to one step.
 *
 * The Secret holds the CA that signs, the next one while it is being replaced, and those that signed before. The
 * registration publishes all of them (in its caBundle). Replicas do not talk to each other: each reads the
 * registration, then the Secret, takes one step by an update that fails if the object has changed since, and reads
 * again. So any number of them may race, stall or crash between any two steps. The following always holds, as long as
 * clocks differ by less than the margin, and the two objects are not both lost at once:
 *
 * 1. No certificate is signed by a CA that is not published. A new CA is made as `next`, is published, and starts to
 *    sign (is promoted) only after it has been published for the settle time, in which every API server learns of it.
 *    Only the very first need not settle, because no certificates are in use yet.
 * 2. No CA leaves the registration while a certificate that it signed may be in use: it stays as `retired` for the life
 * of a
 *    certificate after its successor was promoted. The life of a certificate counts from before the Secret was read, so
 *    one that a slow replica signs late does not end later. For the same reason the time of the promotion is noted in
 *    a separate step, from a clock that was read after the Secret showed the promotion: a replica may stall between the
 *    decision to promote and the update.
 * 3. The registration is read before the Secret. A replica that would publish too little has read a Secret without the
 *    new CA, so it read the registration before the new CA was in it, and its patch fails at the test.
 * 4. A lost Secret is created again next to what the registration still trusts. Until its first CA is promoted, our CAs
 *    in the registration that it does not know are adopted, including one that turns up late (because a slow replica
 *    has updated the registration from the old Secret). If they do not all fit, as when the Secret was lost again and
 *    again, the oldest are dropped.
 *
 * All replicas must be given the same times. No I/O; thread-safe.
 */

enum { ROTATION_CAS_MAX = 8 }; /* published at once: the current, the next, and retired ones */

/* A certificate; id is the hex SHA-256 of its DER form. */
struct rotation_ca {
	char id[65];
	time_t not_before, not_after;
};

enum rotation_secret {
	ROTATION_SECRET_MISSING,
	ROTATION_SECRET_EMPTY,  /* it has no data of ours: not filled yet, or emptied */
	ROTATION_SECRET_BROKEN, /* it holds something that is not ours: it is not touched */
	ROTATION_SECRET_SOUND,
};

struct rotation_view {
	enum rotation_secret secret;
	bool has_current, has_next; /* a sound Secret has at least one */
	struct rotation_ca current, next;
	size_t retired_count;
	struct rotation_ca retired[ROTATION_CAS_MAX - 1];
	time_t promoted_at;  /* when the current CA was first seen as such; 0: not noted yet, or it was the first */
	bool rotation_asked; /* by an admin */

	bool registered;      /* our webhooks are in the registration */
	bool published;       /* each of them has exactly the bundle that the Secret asks for */
	size_t foreign_count; /* our CAs in the registration that the Secret does not know, and has room for */
	/*
	 * Whole monotonic seconds since the end of the first look that saw `next` published; 0 if a later look did not.
	 */
	unsigned settled;

	bool has_leaf;
	struct rotation_ca leaf; /* the certificate that this replica serves */
	char leaf_issuer[65];
};

struct rotation_times {
	unsigned ca_life, leaf_life; /* seconds; the CA's should be at least five times the leaf's */
	unsigned settle;             /* seconds from the publication of a CA to its first signature */
	unsigned margin;             /* seconds by which any two clocks may differ; MINT_BACKDATE at most */
};

enum rotation_step {
	ROTATION_REST,
	ROTATION_CREATE, /* create the Secret, empty */
	ROTATION_BEGIN,  /* put a CA into the empty Secret, as next */
	ROTATION_ADOPT,  /* add our CAs that the registration trusts and the Secret does not know to the retired ones */
	ROTATION_SIGN,   /* make a certificate for this replica; changes nothing that is shared */
	ROTATION_PUBLISH, /* give the registration the bundle that the Secret asks for */
	ROTATION_CONFIRM, /* set promoted_at to a time that was read after the Secret */
	ROTATION_PREPARE, /* make a new CA as next, replacing one that aged unused; clears a requested rotation */
	ROTATION_PROMOTE, /* next becomes current, current becomes retired (without its key), promoted_at is cleared */
	ROTATION_DROP,    /* remove the retired ones from the Secret, and so from the registration */
};

/* The next step. Serving continues whatever it is. `now` must be read after the Secret, like the time of CONFIRM. */
enum rotation_step rotation_next_step(const struct rotation_view *view, const struct rotation_times *times, time_t now);

/* For logs, such as "publish"; static memory. */
const char *rotation_step_name(enum rotation_step step);

/*
 * Seconds, 1 to 3,600, until the clock alone may make a step due, if there is nothing to do now: for a caller that
 * waits for changes.
 */
unsigned rotation_next_look(const struct rotation_view *view, const struct rotation_times *times, time_t now);

/* The last second of a certificate signed now by the view's current CA. `read_at` is a time before the reads. */
time_t rotation_leaf_end(const struct rotation_view *view, const struct rotation_times *times, time_t read_at);

#endif
