#ifndef ROTATION_ROTATION_H
#define ROTATION_ROTATION_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

/*
 * What to do next about the CA and this replica's certificate: a pure function from what is there to one step.
 *
 * The Secret holds the CA that signs, while it is replaced the next one, and those that signed before. The registration
 * publishes all of them (its caBundle). Replicas do not talk to each other: each reads the registration, then the
 * Secret, takes one step by an update that fails where the object has changed since, and reads again. So any number
 * may race, stand still or crash between any two steps. What always holds, as long as clocks differ by less than the
 * margin and not both objects are lost at once:
 *
 * 1. No certificate is signed by a CA that is not published. A new CA is made as `next`, published, and begins to sign
 *    (is promoted) only when it has been published for the settle time, in which every API server hears of it. The very
 *    first is no exception, but that it need not settle: nobody is served yet.
 * 2. No CA leaves the registration while a certificate of its may be in use: it stays as `retired` for the life of a
 *    certificate after the promotion of its successor. Certificates count their life from before the Secret was read,
 *    so one that a slow replica signs late ends no later. For the same reason the time of the promotion is noted by
 *    a step of its own, from a clock that was read after the Secret showed it: a replica may stand still between the
 *    decision to promote and the update.
 * 3. The registration is read before the Secret. Who would publish too little has read a Secret without the new CA, so
 *    has read the registration before the new CA was in it, and fails at the patch's test.
 * 4. A Secret that was lost is made anew beside what the registration still trusts: until its first CA is promoted, a
 *    CA of ours in the registration that it does not know is adopted, also one that turns up late (a slow replica has
 *    mended it from the old Secret). Where they do not all fit, as when it was lost again and again, the oldest are
 *    given up.
 *
 * All replicas must be given the same times.
 */

enum { ROTATION_CAS_MAX = 8 }; /* published at once: the current, the next, and retired ones */

/* Names a certificate: the hex SHA-256 of its DER form. */
struct rotation_ca {
	char id[65];
	time_t not_before, not_after;
};

enum rotation_secret {
	ROTATION_SECRET_MISSING,
	ROTATION_SECRET_EMPTY,  /* it has no data of ours: never filled, or emptied */
	ROTATION_SECRET_BROKEN, /* it holds what is not ours: nobody touches it */
	ROTATION_SECRET_SOUND,
};

struct rotation_view {
	enum rotation_secret secret;
	bool has_current, has_next; /* a sound Secret has one at least */
	struct rotation_ca current, next;
	size_t retired_count;
	struct rotation_ca retired[ROTATION_CAS_MAX - 1];
	time_t promoted_at; /* when the current CA was first seen to sign; 0: that is not noted yet, or it was the first */
	bool rotation_asked; /* by an admin */

	bool registered;      /* our webhooks are in the registration */
	bool published;       /* every one of them has exactly the bundle that the Secret asks for */
	size_t foreign_count; /* CAs of ours in the registration that the Secret does not know, and has room for */
	unsigned
		settled; /* whole seconds by the monotonic clock since the first look's end that saw `next` published, 0
			     where a look since then did not */

	bool has_leaf;
	struct rotation_ca leaf; /* its dates */
	char leaf_issuer[65];
};

struct rotation_times {
	unsigned ca_life, leaf_life; /* seconds; the CA's is to be five times the leaf's or more */
	unsigned settle;             /* seconds from the publication of a CA to its first signature */
	unsigned margin;             /* seconds by which any two clocks may differ; MINT_BACKDATE at most */
};

enum rotation_step {
	ROTATION_REST,
	ROTATION_CREATE,  /* make the Secret, empty */
	ROTATION_BEGIN,   /* into the empty Secret: a CA as next */
	ROTATION_ADOPT,   /* to the retired ones: what the registration trusts of ours and the Secret does not know */
	ROTATION_SIGN,    /* a certificate for this replica; nothing that others share changes */
	ROTATION_PUBLISH, /* the registration gets the bundle that the Secret asks for */
	ROTATION_CONFIRM, /* note as promoted_at a time that was read after the Secret */
	ROTATION_PREPARE, /* a new CA as next, in the place of one that has grown old unused; who asked for it is answered */
	ROTATION_PROMOTE, /* next becomes current, current retired (the certificate alone), promoted_at not noted */
	ROTATION_DROP,    /* the retired ones leave the Secret, and then the registration */
};

/* The next step. Serving goes on whatever it is. `now` is read after the Secret, as the time that CONFIRM notes. */
enum rotation_step rotation_next_step(const struct rotation_view *view, const struct rotation_times *times, time_t now);

/* "publish" and so on: static memory, for logs. */
const char *rotation_step_name(enum rotation_step step);

/*
 * Seconds, 1 to 3,600, until something may fall due by the clock alone where there is nothing to do now: for a caller
 * that waits for changes.
 */
unsigned rotation_next_look(const struct rotation_view *view, const struct rotation_times *times, time_t now);

/* The last second of a certificate that is signed now by the view's current CA, from `read_at`, before the reads. */
time_t rotation_leaf_end(const struct rotation_view *view, const struct rotation_times *times, time_t read_at);

#endif
