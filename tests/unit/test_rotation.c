/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <string.h>

#include "rotation/rotation.h"
#include "rotation_world.h"
#include "suites.h"
#include "unit.h"

enum {
	NOW = 1800000000,
	HOUR = 60 * 60,
	DAY = 24 * HOUR,
	LEAF = 7 * DAY,
	CA = 360 * DAY,
	MARGIN = 300,
};

static const struct rotation_times times = {.ca_life = CA, .leaf_life = LEAF, .settle = 5, .margin = MARGIN};

static struct rotation_ca certificate(const char *id, time_t made, unsigned life)
{
	struct rotation_ca ca = {.not_before = made - HOUR, .not_after = made + (time_t)life};

	memcpy(ca.id, id, strlen(id) + 1);
	return ca;
}

/* Everything as it should be: a CA made yesterday and its leaf made an hour ago. */
static struct rotation_view calm_view(void)
{
	struct rotation_view view = {
		.secret = ROTATION_SECRET_SOUND, .registered = true, .published = true, .has_current = true};

	view.current = certificate("current", NOW - DAY, CA);
	view.has_leaf = true;
	view.leaf = certificate("leaf", NOW - HOUR, LEAF);
	memcpy(view.leaf_issuer, "current", sizeof("current"));
	return view;
}

static void give_next(struct rotation_view *view, unsigned settled)
{
	view->has_next = true;
	view->next = certificate("next", NOW - 60, CA);
	view->settled = settled;
}

static void give_retired(struct rotation_view *view, size_t count, time_t promoted_at)
{
	static const char *const names[] = {"r0", "r1", "r2", "r3", "r4", "r5", "r6"};

	view->retired_count = count;
	for (size_t i = 0; i < count; i++)
		view->retired[i] = certificate(names[i], NOW - 100 * DAY, CA);
	view->promoted_at = promoted_at;
}

static void lose_current(struct rotation_view *view)
{
	view->has_current = false;
	view->has_leaf = false;
	give_next(view, 0);
}

#define CHECK_STEP(view, step) CHECK_STRING(rotation_step_name(rotation_next_step(&(view), &times, NOW)), step)

static void the_secret_decides_first(void)
{
	struct rotation_view view = calm_view();

	CHECK_STEP(view, "rest");
	view.secret = ROTATION_SECRET_BROKEN;
	view.published = false;
	CHECK_STEP(view, "rest");
	view = (struct rotation_view){.secret = ROTATION_SECRET_MISSING};
	CHECK_STEP(view, "create");
	view.registered = true;
	CHECK_STEP(view, "create");
	view.secret = ROTATION_SECRET_EMPTY;
	CHECK_STEP(view, "begin");
	view.registered = false; /* what is trusted is not known */
	CHECK_STEP(view, "rest");
	view = calm_view();
	view.has_leaf = view.published = view.registered = false;
	CHECK_STEP(view, "rest");
}

static void without_a_registration_the_same_ca_goes_on_signing(void)
{
	struct rotation_view view = calm_view();

	view.published = view.registered = false;
	CHECK_STEP(view, "rest");
	view.leaf = certificate("leaf", NOW - 2 * LEAF / 3, LEAF);
	CHECK_STEP(view, "sign");
	memcpy(view.leaf_issuer, "another", sizeof("another"));
	CHECK_STEP(view, "rest");
}

static void a_first_ca_signs_as_soon_as_it_is_published(void)
{
	struct rotation_view view = calm_view();

	lose_current(&view);
	view.published = false;
	CHECK_STEP(view, "publish");
	view.published = true;
	CHECK_STEP(view, "promote");
	give_retired(&view, 1, 0); /* the Secret was lost: some replica may serve */
	CHECK_STEP(view, "rest");
	view.settled = times.settle;
	CHECK_STEP(view, "promote");
	view.foreign_count = 1;
	CHECK_STEP(view, "adopt");
	view = calm_view();
	view.foreign_count = 1; /* left over from those that were dropped */
	view.published = false;
	CHECK_STEP(view, "publish");
}

static void a_leaf_is_replaced_with_a_third_of_its_life_left(void)
{
	struct rotation_view view = calm_view();

	view.leaf = certificate("leaf", NOW - 2 * LEAF / 3 + 1, LEAF);
	CHECK_STEP(view, "rest");
	view.leaf = certificate("leaf", NOW - 2 * LEAF / 3, LEAF);
	CHECK_STEP(view, "sign");
	view.published = false; /* trusted as much as the one before */
	CHECK_STEP(view, "sign");
	view.current.not_after = view.leaf.not_after; /* no better one can be had */
	CHECK_STEP(view, "publish");
	/* One of a short life, as at the CA's end, is judged by that. */
	view = calm_view();
	view.leaf = certificate("leaf", NOW - 1, 2 * HOUR);
	CHECK_STEP(view, "rest");
}

static void a_leaf_that_no_client_accepts_is_replaced_at_once(void)
{
	struct rotation_view view = calm_view();

	view.published = false;
	view.has_leaf = false;
	CHECK_STEP(view, "sign");
	view.has_leaf = true;
	CHECK_STEP(view, "publish");
	memcpy(view.leaf_issuer, "gone", sizeof("gone"));
	CHECK_STEP(view, "sign");
	view = calm_view();
	view.leaf = certificate("leaf", NOW + 2 * HOUR, LEAF); /* the clock was ahead */
	CHECK_STEP(view, "sign");
	view.leaf = certificate("leaf", NOW + MARGIN + 1, LEAF);
	CHECK_STEP(view, "sign");
	view.leaf = certificate("leaf", NOW - LEAF, LEAF);
	CHECK_STEP(view, "sign");
	view.current = certificate("current", NOW - CA, CA); /* which can sign no more */
	CHECK_STEP(view, "prepare");
	view.current = certificate("current", NOW + 2 * HOUR, CA);
	CHECK_STEP(view, "prepare");
}

static void a_change_of_the_ca_waits_for_the_registration(void)
{
	struct rotation_view view = calm_view();

	give_retired(&view, 1, 0);
	memcpy(view.leaf_issuer, "r0", sizeof("r0"));
	view.published = false;
	CHECK_STEP(view, "publish");
	view.published = true;
	CHECK_STEP(view, "sign");
	memcpy(view.leaf_issuer, "current", sizeof("current"));
	CHECK_STEP(view, "confirm");
}

static void a_ca_is_replaced_with_a_third_of_its_life_left_or_on_demand(void)
{
	struct rotation_view view = calm_view();

	view.current = certificate("current", NOW - 2 * CA / 3 + 1, CA);
	CHECK_STEP(view, "rest");
	view.current = certificate("current", NOW - 2 * CA / 3, CA);
	CHECK_STEP(view, "prepare");
	view = calm_view();
	view.rotation_asked = true;
	CHECK_STEP(view, "prepare");
	give_next(&view, 0); /* one is under way; the wish stays for the time after it */
	CHECK_STEP(view, "rest");
	view.settled = times.settle - 1;
	CHECK_STEP(view, "rest");
	view.settled = times.settle;
	CHECK_STEP(view, "promote");
	view.published = false;
	CHECK_STEP(view, "publish");
	view.published = true;
	view.next = certificate("next", NOW - 2 * CA / 3, CA); /* has waited too long */
	CHECK_STEP(view, "prepare");
	view.next = certificate("next", NOW + 2 * HOUR, CA);
	CHECK_STEP(view, "prepare");
}

static void the_retired_are_dropped_when_they_cannot_be_needed(void)
{
	struct rotation_view view = calm_view();
	const time_t end = NOW - LEAF - 2 * MARGIN;

	give_retired(&view, 2, end + 1);
	CHECK_STEP(view, "rest");
	view.promoted_at = end;
	CHECK_STEP(view, "drop");
	view.promoted_at = NOW + MARGIN; /* another's clock */
	CHECK_STEP(view, "rest");
	view.promoted_at = NOW + MARGIN + 1; /* the clock was ahead */
	CHECK_STEP(view, "confirm");
	view.promoted_at = 0;
	CHECK_STEP(view, "confirm");
	view.retired_count = 0;
	CHECK_STEP(view, "rest");
	lose_current(&view);
	give_retired(&view, 2, 0); /* the time of the promotion is yet to come */
	CHECK_STEP(view, "rest");
}

static void a_full_list_waits_for_the_drop(void)
{
	struct rotation_view view = calm_view();

	view.rotation_asked = true;
	give_retired(&view, ROTATION_CAS_MAX - 3, NOW);
	CHECK_STEP(view, "prepare");
	give_retired(&view, ROTATION_CAS_MAX - 2, NOW); /* with a next in addition, a lost Secret would not fit */
	CHECK_STEP(view, "rest");
	give_retired(&view, ROTATION_CAS_MAX - 2, NOW - LEAF - 2 * MARGIN);
	CHECK_STEP(view, "drop");
}

static void a_leaf_ends_with_its_ca(void)
{
	struct rotation_view view = calm_view();

	CU_ASSERT_EQUAL(rotation_leaf_end(&view, &times, NOW - 5), NOW - 5 + LEAF);
	view.current.not_after = NOW + DAY;
	CU_ASSERT_EQUAL(rotation_leaf_end(&view, &times, NOW), NOW + DAY);
}

static void the_next_look_is_when_something_becomes_due(void)
{
	struct rotation_view view = calm_view();

	CU_ASSERT_EQUAL(rotation_next_look(&view, &times, NOW), HOUR);
	CU_ASSERT_EQUAL(rotation_next_look(&(struct rotation_view){0}, &times, NOW), HOUR);
	view.leaf = certificate("leaf", NOW - 2 * LEAF / 3 + 10, LEAF);
	CU_ASSERT_EQUAL(rotation_next_look(&view, &times, NOW), 10);
	view.current = certificate("current", NOW - 2 * CA / 3 + 9, CA);
	CU_ASSERT_EQUAL(rotation_next_look(&view, &times, NOW), 9);
	give_retired(&view, 1, NOW - LEAF - 2 * MARGIN + 8);
	CU_ASSERT_EQUAL(rotation_next_look(&view, &times, NOW), 8);
	give_next(&view, 2);
	CU_ASSERT_EQUAL(rotation_next_look(&view, &times, NOW), 3);
	view.settled = times.settle; /* something is due now: soon, but not in a busy loop */
	view.retired_count = 0;
	view.leaf = view.current = view.next = certificate("x", NOW - DAY, DAY);
	CU_ASSERT_EQUAL(rotation_next_look(&view, &times, NOW), HOUR);
}

/* Histories that one by one show why a rule is there. The world begins with all at rest. */
static void world_begin(struct world *world, enum world_flaw flaw)
{
	const struct rotation_times short_times = {.ca_life = 6000, .leaf_life = 600, .settle = 2, .margin = 10};

	world_init(world, &short_times, flaw);
	for (unsigned i = 0; i < WORLD_REPLICAS; i++)
		CU_ASSERT(world_settle(world, i, 10));
	world_pass(world, WORLD_LATE);
	CU_ASSERT(world_is_at_rest(world));
}

/* Steps until the replica is about to take this one. */
static void bring_to(struct world *world, unsigned replica, enum rotation_step step)
{
	struct world_replica *stepping = &world->replicas[replica];

	for (unsigned i = 0; i < 50 && !(stepping->at == AT_UPDATE && stepping->step == step); i++)
		world_step(world, replica);
	CU_ASSERT(stepping->at == AT_UPDATE && stepping->step == step);
}

/* Prepares and publishes a next CA, which settles. */
static void bring_to_promotion(struct world *world, unsigned replica)
{
	world_ask(world);
	world_settle(world, replica, 10);
	world_pass(world, 2 * WORLD_SECOND);
	bring_to(world, replica, ROTATION_PROMOTE);
}

static void start_and_sign(struct world *world, unsigned replica)
{
	world_restart(world, replica);
	bring_to(world, replica, ROTATION_SIGN);
	world_step(world, replica);
}

static bool drop_and_check(struct world *world, unsigned replica)
{
	world_settle(world, replica, 10);
	world_pass(world, WORLD_LATE);
	return world_check(world);
}

/* A replica decides to promote and stands still, another signs by the old CA, then the promotion happens. */
static bool survives_a_late_promotion(enum world_flaw flaw)
{
	static struct world world;

	world_begin(&world, flaw);
	bring_to_promotion(&world, 0);
	world_pass(&world, 300 * WORLD_SECOND);
	start_and_sign(&world, 1);
	world_step(&world, 0);
	world_settle(&world, 0, 10);
	world_settle(&world, 2, 10);
	world_pass(&world, (600 + 2 * 10 - 300) * WORLD_SECOND);
	return drop_and_check(&world, 2);
}

/* The clocks of the signer and the dropper are fast; those of the promoter and the API servers are slow. */
static bool survives_clocks_apart(enum world_flaw flaw)
{
	static struct world world;

	world_begin(&world, flaw);
	world.replicas[1].ahead = world.replicas[2].ahead = 9 * WORLD_SECOND;
	bring_to_promotion(&world, 0);
	start_and_sign(&world, 2);
	world_step(&world, 0);
	world_settle(&world, 0, 10);
	world_settle(&world, 1, 10);
	world_pass(&world, (600 + 2) * WORLD_SECOND);
	return drop_and_check(&world, 1);
}

/* Between two reads the bundle is wiped and restored, and the Secret lost: the new Secret does not know the old CA. */
static bool survives_a_loss_between_reads(enum world_flaw flaw)
{
	static struct world world;

	world_begin(&world, flaw);
	world_meddle(&world, &(struct world_bundle){0}, false);
	world_step(&world, 0);
	world_step(&world, 0);
	world_settle(&world, 1, 10);
	world_pass(&world, WORLD_LATE);
	world_lose_secret(&world, true);
	bring_to(&world, 0, ROTATION_BEGIN);
	return drop_and_check(&world, 0);
}

static void each_rule_has_a_history_that_needs_it(void)
{
	CU_ASSERT(survives_a_late_promotion(FLAW_NONE));
	CU_ASSERT(!survives_a_late_promotion(FLAW_PROMOTER_NOTES_TIME));
	CU_ASSERT(survives_clocks_apart(FLAW_NONE));
	CU_ASSERT(!survives_clocks_apart(FLAW_ONE_MARGIN));
	CU_ASSERT(!survives_clocks_apart(FLAW_NO_MARGIN));
	CU_ASSERT(survives_a_loss_between_reads(FLAW_NONE));
	CU_ASSERT(!survives_a_loss_between_reads(FLAW_NO_ADOPTION));
}

int add_rotation_suite(void)
{
	static const struct unit_test tests[] = {
		{"without a registration the same CA goes on signing",
		 without_a_registration_the_same_ca_goes_on_signing},
		{"the Secret decides first", the_secret_decides_first},
		{"a first CA signs as soon as it is published", a_first_ca_signs_as_soon_as_it_is_published},
		{"a leaf is replaced with a third of its life left", a_leaf_is_replaced_with_a_third_of_its_life_left},
		{"a leaf that no client accepts is replaced at once",
		 a_leaf_that_no_client_accepts_is_replaced_at_once},
		{"a change of the CA waits for the registration", a_change_of_the_ca_waits_for_the_registration},
		{"a CA is replaced with a third of its life left, or on demand",
		 a_ca_is_replaced_with_a_third_of_its_life_left_or_on_demand},
		{"the retired are dropped when they cannot be needed",
		 the_retired_are_dropped_when_they_cannot_be_needed},
		{"a full list waits for the drop", a_full_list_waits_for_the_drop},
		{"a leaf ends with its CA", a_leaf_ends_with_its_ca},
		{"the next look is when something becomes due", the_next_look_is_when_something_becomes_due},
		{"each rule has a history that needs it", each_rule_has_a_history_that_needs_it},
		{NULL, NULL},
	};

	return add_suite("rotation", tests);
}
