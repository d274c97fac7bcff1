/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ROTATION_WORLD_H
#define ROTATION_WORLD_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "rotation/rotation.h"

/*
 * A world for rotation.h to be tried in: one Secret, one registration, API servers that hear of it late, and replicas
 * that go through their program in small steps, in whatever order a test picks. Certificates are numbers and dates.
 * world_check says after each step whether every API server can verify what every replica serves.
 */

enum {
	WORLD_REPLICAS = 3,
	WORLD_SERVERS = 3,
	WORLD_CAS = 512,
	WORLD_VERSIONS = 2048, /* of the registration */
	WORLD_BUNDLE = 2 * ROTATION_CAS_MAX,
	WORLD_LATE = 2000, /* milliseconds after which the slowest API server knows a version of the registration */
	WORLD_SECOND = 1000,
};

/* Ways to get the procedure wrong. The model is worth something if it finds each. */
enum world_flaw {
	FLAW_NONE,
	FLAW_SHORT_SETTLE,        /* a second less than API servers may be late */
	FLAW_SETTLE_BEFORE_READ,  /* counted from before the read that showed the CA published */
	FLAW_NO_RETIRED,          /* the CA that signed before is forgotten at the promotion */
	FLAW_SECRET_FIRST,        /* the registration is read after the Secret */
	FLAW_LIFE_FROM_SIGNATURE, /* of a leaf, not from before the reads */
	FLAW_NO_MARGIN,
	FLAW_ONE_MARGIN,          /* where two clocks matter */
	FLAW_PROMOTER_NOTES_TIME, /* with the promotion, as it was when that was decided */
	FLAW_FIRST_AT_ONCE,       /* the CA of a new Secret signs before it is published */
	FLAW_NO_ADOPTION,         /* a new Secret is created as if there had been none before */
	FLAW_BLIND_PUBLISH,       /* patches of the registration test nothing */
	FLAW_BLIND_WRITE,         /* nor do those of the Secret */
	FLAW_LEAF_OUTLIVES_CA,
	FLAWS,
};

struct world_ca {
	struct rotation_ca facts;
	bool is_public;      /* was published, so it may have signed and API servers may know it */
	bool forgotten;      /* both objects lost it, or have no room: its leaves are excused */
	unsigned known_from; /* or until API servers know this version, which brought it back */
};

struct world_bundle {
	unsigned count;
	unsigned ids[WORLD_BUNDLE];
};

struct world_secret {
	bool exists, filled;
	unsigned version;
	unsigned current, next; /* 0: none */
	unsigned retired_count;
	unsigned retired[WORLD_BUNDLE];
	time_t promoted_at;
	bool asked;
};

struct world_registration {
	int64_t since; /* by the world's time */
	bool stranger; /* written by an outsider: what API servers make of it is not our fault */
	bool gone;     /* our webhooks are not in it */
	struct world_bundle bundle;
};

enum world_at { AT_CLOCK, AT_FIRST_READ, AT_SECOND_READ, AT_DECISION, AT_UPDATE };

struct world_replica {
	int64_t ahead; /* milliseconds of its clock before the world's */
	bool stalled;  /* stands still, and serves */
	enum world_at at;

	time_t read_at;
	int64_t read_at_monotonic;
	unsigned seen_version;
	struct world_secret seen;
	time_t noted;
	enum rotation_step step;

	bool has_leaf;
	struct rotation_ca leaf;
	unsigned issuer;
	unsigned settling; /* the CA that is seen published as next, 0: none */
	int64_t settling_since;
};

struct world_server {
	int64_t ahead;
	unsigned version; /* of the registration that it knows */
};

struct world {
	struct rotation_times times;
	enum world_flaw flaw;
	bool trace;   /* print what happens */
	int64_t now;  /* milliseconds, as they pass */
	int64_t leap; /* milliseconds that all wall clocks have leapt ahead in addition */
	unsigned ca_count;
	struct world_ca cas[WORLD_CAS]; /* the first is unused */
	struct world_secret secret;
	unsigned version; /* of the registration: the newest */
	struct world_registration versions[WORLD_VERSIONS];
	/* Where all was lost, or nothing was before: API servers that know no newer version are excused. */
	unsigned amnesia;
	unsigned steps; /* taken, REST apart */
	struct world_replica replicas[WORLD_REPLICAS];
	struct world_server servers[WORLD_SERVERS];
	char fault[256]; /* the first thing that went wrong, "" for nothing */
};

/* No Secret, a registration without a bundle, and replicas that just started. Keeps `trace`. */
void world_init(struct world *world, const struct rotation_times *times, enum world_flaw flaw);

/* Whether there is room for more versions and CAs. */
bool world_has_room(const struct world *world);

/* One small step of a replica's program. */
void world_step(struct world *world, unsigned replica);

/* Runs until the replica has looked once more and found nothing to do (true), or has taken `max` steps. */
bool world_settle(struct world *world, unsigned replica, unsigned max);

/* The replica restarts: what it served is gone. */
void world_restart(struct world *world, unsigned replica);

/* Time passes; API servers that would be too late hear. */
void world_pass(struct world *world, int64_t milliseconds);

/* An API server hears of one more version, or of all. */
void world_hear(struct world *world, unsigned server, bool all);

/* What others do: to the Secret, … */
void world_lose_secret(struct world *world, bool emptied);
void world_ask(struct world *world);
/* … and to the registration; `gone` takes our webhooks out of it. */
void world_meddle(struct world *world, const struct world_bundle *bundle, bool gone);

/* By a replica's clock on the wall. */
time_t world_clock(const struct world *world, int64_t ahead);

/* What the replica would see if it looked now, at a time of its clock. */
struct rotation_view world_look(struct world *world, unsigned replica);

/* Whether all of it holds; else world->fault says what does not. */
bool world_check(struct world *world);

/* One CA, the only one published, has signed what every replica serves, and nothing is to change. */
bool world_is_at_rest(const struct world *world);

#endif
