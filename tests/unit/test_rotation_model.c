/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/compiler.h"
#include "rotation_world.h"
#include "suites.h"
#include "unit.h"

/*
 * Histories of a world in which replicas, faults and time come in any order, each from a number: the same number, the
 * same history. A failure prints its number and the history.
 */

enum {
	HISTORIES = 8000,
	FLAW_HISTORIES = 4000, /* after which a flaw counts as not found; most show within some hundred */
	MOVES = 400,           /* of one history, at most */
	REST_STEPS = 100,      /* that replicas may take until all is at rest */
	REST_LOOKS = 2000,
	SECOND = WORLD_SECOND,
};

/* SplitMix64: https://prng.di.unimi.it/splitmix64.c */
static uint64_t random_next(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

/* 0 to below - 1 */
static unsigned pick(uint64_t *state, unsigned below)
{
	return (unsigned)(random_next(state) % below);
}

static int64_t pick_time(uint64_t *state, int64_t below)
{
	return (int64_t)(random_next(state) % (uint64_t)below);
}

/* How often what happens, of a thousand moves; the rest are steps of replicas. */
struct weights {
	unsigned pass, hear, deadline, idle, pause, leap, stall, restart, ask, lose, meddle;
};

struct history {
	uint64_t random;
	struct weights weights;
	unsigned sequel; /* moves until the other object is struck too, 0: never */
	bool sequel_is_loss;
	struct world *world;
};

static struct rotation_times pick_times(uint64_t *random)
{
	static const unsigned lives[] = {60, 600, 24 * 60 * 60, 7 * 24 * 60 * 60};
	const unsigned life = lives[pick(random, ARRAY_LEN(lives))];

	return (struct rotation_times){
		.leaf_life = life,
		.ca_life = life * (5 + pick(random, 50)),
		.settle = WORLD_LATE / SECOND,
		.margin = life <= 60 ? 10 : 10 + pick(random, 100),
	};
}

/* Faults of some kinds alone, else each history would be a ruin soon. */
static struct weights pick_weights(uint64_t *random)
{
	struct weights weights = {.pass = 60, .hear = 60};

	weights.deadline = pick(random, 3) * 10;
	weights.idle = pick(random, 2) * 10;
	weights.pause = pick(random, 2) * 5;
	weights.leap = pick(random, 4) == 0 ? 10 : 0;
	weights.stall = pick(random, 3) * 15;
	weights.restart = pick(random, 3) * 5;
	weights.ask = pick(random, 3) * 10;
	weights.lose = pick(random, 3) == 0 ? 10 : 0;
	weights.meddle = pick(random, 3) == 0 ? 10 : 0;
	return weights;
}

/* A second less than the margin, as certificates know whole seconds; the extremes are what matters. */
static int64_t pick_ahead(uint64_t *random, unsigned margin)
{
	const int64_t most = ((int64_t)margin - 1) * SECOND;

	switch (pick(random, 4)) {
	case 0:
		return pick_time(random, most);
	case 1:
		return most;
	default:
		return 0;
	}
}

static void history_init(struct history *history, struct world *world, uint64_t seed, enum world_flaw flaw)
{
	uint64_t *random = &history->random;
	struct rotation_times times;

	*history = (struct history){.random = seed, .world = world};
	times = pick_times(random);
	world_init(world, &times, flaw);
	history->weights = pick_weights(random);
	for (unsigned i = 0; i < WORLD_REPLICAS; i++)
		world->replicas[i].ahead = pick_ahead(random, times.margin);
	for (unsigned i = 0; i < WORLD_SERVERS; i++)
		world->servers[i].ahead = pick_ahead(random, times.margin);
}

/* Time passes, in pieces, while the replicas that are not stalled work. */
static void idle(struct history *history, int64_t milliseconds)
{
	const unsigned pieces = 1 + pick(&history->random, 6);
	struct world *world = history->world;

	for (unsigned i = 0; i < pieces && !world->fault[0] && world_has_room(world); i++) {
		world_pass(world, milliseconds / pieces);
		for (unsigned k = 0; k < WORLD_REPLICAS && world_check(world); k++) {
			if (!world->replicas[k].stalled)
				world_settle(world, k, 1 + pick(&history->random, 6));
		}
	}
}

/* To when something ends or becomes due, give or take some seconds. */
static int64_t pick_deadline(struct history *history)
{
	const struct world *world = history->world;
	const struct rotation_times *times = &world->times;
	const struct world_replica *replica = &world->replicas[pick(&history->random, WORLD_REPLICAS)];
	const struct world_secret *secret = &world->secret;
	const time_t near = (time_t)pick(&history->random, 8) - 4;
	time_t then = 0;

	switch (pick(&history->random, 4)) {
	case 0:
		then = replica->leaf.not_after;
		break;
	case 1:
		then = secret->promoted_at + (time_t)times->leaf_life +
		       (time_t)(pick(&history->random, 3) * times->margin);
		break;
	case 2:
		then = world->cas[secret->current].facts.not_after;
		break;
	default:
		then = replica->leaf.not_after - (time_t)times->leaf_life / 3;
		break;
	}
	then += near - world_clock(world, 0);
	return then > 0 && then < 20 * (time_t)times->leaf_life ? then * SECOND : SECOND;
}

/* An older bundle, a part of one, or none. */
static void meddle(struct history *history)
{
	struct world *world = history->world;
	struct world_bundle bundle = {0};

	if (pick(&history->random, 2) == 0)
		bundle = world->versions[pick(&history->random, world->version + 1)].bundle;
	if (bundle.count > 0 && pick(&history->random, 2) == 0)
		bundle.count--;
	world_meddle(world, &bundle, pick(&history->random, 4) == 0);
}

static void strike(struct history *history, bool loss)
{
	if (loss)
		world_lose_secret(history->world, pick(&history->random, 2));
	else
		meddle(history);
	if (history->weights.lose && history->weights.meddle && pick(&history->random, 2)) {
		history->sequel = 1 + pick(&history->random, 12);
		history->sequel_is_loss = !loss;
	}
}

static void step_any(struct history *history)
{
	const unsigned replica = pick(&history->random, WORLD_REPLICAS);

	if (!history->world->replicas[replica].stalled)
		world_step(history->world, replica);
}

static void stall_or_wake(struct history *history)
{
	struct world_replica *replica = &history->world->replicas[pick(&history->random, WORLD_REPLICAS)];

	replica->stalled = !replica->stalled;
}

/* Whether the die shows this one; it is turned on by `weight` else. */
static bool shows(unsigned *die, unsigned weight)
{
	if (*die < weight)
		return true;
	*die -= weight;
	return false;
}

static void move(struct history *history)
{
	const struct weights *weights = &history->weights;
	uint64_t *random = &history->random;
	struct world *world = history->world;
	const int64_t leaf_life = (int64_t)world->times.leaf_life * SECOND;
	unsigned die = pick(random, 1000);

	if (history->sequel && --history->sequel == 0)
		strike(history, history->sequel_is_loss);
	else if (shows(&die, weights->pass))
		world_pass(world, pick_time(random, pick(random, 4) ? SECOND / 2 : 4 * SECOND));
	else if (shows(&die, weights->hear))
		world_hear(world, pick(random, WORLD_SERVERS), pick(random, 2));
	else if (shows(&die, weights->deadline))
		idle(history, pick_deadline(history));
	else if (shows(&die, weights->idle))
		idle(history, pick_time(random, 2 * leaf_life));
	else if (shows(&die, weights->pause))
		world_pass(world, pick_time(random, leaf_life));
	else if (shows(&die, weights->leap))
		world->leap += pick_time(random, pick(random, 2) ? 2 * leaf_life : 60 * SECOND);
	else if (shows(&die, weights->stall))
		stall_or_wake(history);
	else if (shows(&die, weights->restart))
		world_restart(world, pick(random, WORLD_REPLICAS));
	else if (shows(&die, weights->ask))
		world_ask(world);
	else if (shows(&die, weights->lose))
		strike(history, true);
	else if (shows(&die, weights->meddle))
		strike(history, false);
	else
		step_any(history);
}

/* Nothing may fall due before the replica means to look again. */
static unsigned check_next_look(struct world *world, unsigned replica)
{
	const time_t now = world_clock(world, world->replicas[replica].ahead);
	struct rotation_view view = world_look(world, replica);
	const unsigned look = rotation_next_look(&view, &world->times, now);

	view.settled += look - 1;
	if (rotation_next_step(&view, &world->times, now) == ROTATION_REST &&
	    rotation_next_step(&view, &world->times, now + (time_t)look - 1) != ROTATION_REST)
		snprintf(world->fault, sizeof(world->fault), "replica %u would look too late, in %u s", replica, look);
	return look;
}

/* Faults have stopped: everything comes to rest, and on the way there all stays well. */
static bool comes_to_rest(struct world *world)
{
	if (world->versions[world->version].gone)
		world_meddle(world, &(struct world_bundle){0}, false);
	world->steps = 0;
	for (unsigned looks = 0; looks < REST_LOOKS && world->steps < REST_STEPS; looks++) {
		unsigned soonest = 60 * 60;
		bool quiet = true;

		for (unsigned i = 0; i < WORLD_REPLICAS; i++) {
			const unsigned before = world->steps;
			unsigned look;

			world->replicas[i].stalled = false;
			world_settle(world, i, REST_STEPS);
			quiet &= world->steps == before;
			look = check_next_look(world, i);
			soonest = look < soonest ? look : soonest;
			if (world->fault[0] || !world_check(world))
				return false;
		}
		if (quiet && world_is_at_rest(world))
			return true;
		if (quiet)
			world_pass(world, (int64_t)soonest * SECOND);
	}
	snprintf(world->fault, sizeof(world->fault), "no rest after %u steps", world->steps);
	return false;
}

static bool run(struct world *world, uint64_t seed, enum world_flaw flaw)
{
	struct history history;

	history_init(&history, world, seed, flaw);
	for (unsigned i = 0; i < MOVES && world_has_room(world); i++) {
		move(&history);
		if (world->fault[0] || !world_check(world))
			return false;
	}
	return comes_to_rest(world);
}

static void every_server_can_verify_every_leaf_at_all_times(void)
{
	static struct world world;

	for (uint64_t seed = 0; seed < HISTORIES; seed++) {
		if (run(&world, seed, FLAW_NONE))
			continue;
		printf("\n    history %llu: %s\n", (unsigned long long)seed, world.fault);
		world.trace = true;
		run(&world, seed, FLAW_NONE);
		CU_FAIL("a history went wrong");
		return;
	}
}

/* The flaws that are not here need too rare a history: test_rotation.c has it. */
static void every_flaw_is_found(void)
{
	static const char *const names[FLAWS] = {
		[FLAW_SHORT_SETTLE] = "settles too short",
		[FLAW_SETTLE_BEFORE_READ] = "counts settling from before the read",
		[FLAW_NO_RETIRED] = "retires nobody",
		[FLAW_SECRET_FIRST] = "reads the Secret first",
		[FLAW_LIFE_FROM_SIGNATURE] = "counts a leaf's life from its signature",
		[FLAW_NO_MARGIN] = "drops without a margin",
		[FLAW_FIRST_AT_ONCE] = "signs with the first CA at once",
		[FLAW_NO_ADOPTION] = "takes a lost Secret for a new one",
		[FLAW_BLIND_PUBLISH] = "publishes without a test",
		[FLAW_BLIND_WRITE] = "writes the Secret without a test",
		[FLAW_LEAF_OUTLIVES_CA] = "signs leaves that outlive the CA",
	};
	static struct world world;

	for (enum world_flaw flaw = FLAW_NONE + 1; flaw < FLAWS; flaw++) {
		uint64_t seed = 0;

		while (names[flaw] && seed < FLAW_HISTORIES && run(&world, seed, flaw))
			seed++;
		CHECK_ROW(seed < FLAW_HISTORIES, names[flaw]);
	}
}

int add_rotation_model_suite(void)
{
	static const struct unit_test tests[] = {
		{"every API server can verify every leaf at all times",
		 every_server_can_verify_every_leaf_at_all_times},
		{"every flaw is found", every_flaw_is_found},
		{NULL, NULL},
	};

	return add_suite("rotation, the model", tests);
}
