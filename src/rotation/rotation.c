/* SPDX-License-Identifier: Apache-2.0 */
#include "rotation/rotation.h"

#include <string.h>

enum {
	LOOK_MIN = 1, /* seconds */
	LOOK_MAX = 60 * 60,
};

/*
 * When a certificate is to be replaced: with a third of its life left. Its validity starts before it was made, and that
 * time is not part of its life, so the configured life counts, unless its own is shorter.
 */
static time_t worn_from(const struct rotation_ca *certificate, unsigned life)
{
	time_t own = certificate->not_after - certificate->not_before;

	if (own > (time_t)life)
		own = (time_t)life;
	return certificate->not_after - own / 3;
}

/* Old, expired, or not valid yet, as after a clock that was fast has been corrected. */
static bool is_worn(const struct rotation_ca *certificate, unsigned life, time_t now)
{
	return now < certificate->not_before || now >= worn_from(certificate, life);
}

static bool knows(const struct rotation_view *view, const char *id)
{
	if (view->has_current && strcmp(view->current.id, id) == 0)
		return true;
	if (view->has_next && strcmp(view->next.id, id) == 0)
		return true;
	for (size_t i = 0; i < view->retired_count; i++) {
		if (strcmp(view->retired[i].id, id) == 0)
			return true;
	}
	return false;
}

/* Whether an API server can accept the leaf, and rule 2 covers its end. */
static bool leaf_is_usable(const struct rotation_view *view, const struct rotation_times *times, time_t now)
{
	const struct rotation_ca *leaf = &view->leaf;

	return view->has_leaf && knows(view, view->leaf_issuer) && now >= leaf->not_before && now < leaf->not_after &&
	       leaf->not_after <= now + (time_t)times->leaf_life + (time_t)times->margin;
}

/*
 * A new leaf of the same CA, or a first one, does no harm, so it does not wait for the registration: even if that can't
 * be written for months, certificates are renewed. A leaf of another CA waits until the bundle is published.
 */
static bool needs_leaf(const struct rotation_view *view, const struct rotation_times *times, time_t now)
{
	const time_t end = rotation_leaf_end(view, times, now);

	if (!view->has_current || now < view->current.not_before || end <= now)
		return false;
	if (!leaf_is_usable(view, times, now))
		return true;
	if (strcmp(view->leaf_issuer, view->current.id) != 0)
		return view->published;
	/* A new leaf that would also end with its CA is no improvement. */
	return now >= worn_from(&view->leaf, times->leaf_life) && end > view->leaf.not_after;
}

/* Whether this replica has a certificate of the CA that signs. */
static bool follows(const struct rotation_view *view)
{
	return view->has_current && view->has_leaf && strcmp(view->leaf_issuer, view->current.id) == 0;
}

/* The time of the promotion is missing, or from a clock that was fast and has been corrected. */
static bool needs_confirmation(const struct rotation_view *view, const struct rotation_times *times, time_t now)
{
	return view->has_current && view->retired_count > 0 &&
	       (!view->promoted_at || view->promoted_at > now + (time_t)times->margin);
}

/*
 * The margin counts twice: the replica that noted the promotion may have a slower clock than the one that signed the
 * last leaf, and the replica that drops the CA a faster one than the API server that verifies the leaf.
 */
static time_t drop_from(const struct rotation_view *view, const struct rotation_times *times)
{
	return view->promoted_at + (time_t)times->leaf_life + 2 * (time_t)times->margin;
}

static bool may_promote(const struct rotation_view *view, const struct rotation_times *times)
{
	const bool first = !view->has_current && view->retired_count == 0;

	return view->has_next && (first || view->settled >= times->settle);
}

static bool needs_next(const struct rotation_view *view, const struct rotation_times *times, time_t now)
{
	if (view->has_next)
		return is_worn(&view->next, times->ca_life, now);
	if (!view->rotation_asked && !is_worn(&view->current, times->ca_life, now))
		return false;
	/* One place is kept in case the Secret is lost: its successor has a next in addition to all of these. */
	return view->retired_count + 2 < ROTATION_CAS_MAX;
}

/* The step that a sound Secret asks for. What keeps this replica serving comes first, then what others wait for. */
static enum rotation_step sound_step(const struct rotation_view *view, const struct rotation_times *times, time_t now)
{
	if (!view->has_current && view->foreign_count > 0)
		return ROTATION_ADOPT;
	if (needs_leaf(view, times, now))
		return ROTATION_SIGN;
	if (!view->published)
		return ROTATION_PUBLISH;
	if (needs_confirmation(view, times, now))
		return ROTATION_CONFIRM;
	if (view->has_current && view->retired_count > 0 && now >= drop_from(view, times))
		return ROTATION_DROP;
	if (needs_next(view, times, now))
		return ROTATION_PREPARE;
	if (may_promote(view, times))
		return ROTATION_PROMOTE;
	return ROTATION_REST;
}

enum rotation_step rotation_next_step(const struct rotation_view *view, const struct rotation_times *times, time_t now)
{
	switch (view->secret) {
	case ROTATION_SECRET_MISSING:
		return ROTATION_CREATE;
	case ROTATION_SECRET_EMPTY:
		return view->registered ? ROTATION_BEGIN : ROTATION_REST;
	case ROTATION_SECRET_SOUND:
		if (view->registered)
			return sound_step(view, times, now);
		/* A replica that serves with this CA continues, whatever became of the registration. */
		return follows(view) && needs_leaf(view, times, now) ? ROTATION_SIGN : ROTATION_REST;
	case ROTATION_SECRET_BROKEN:
		break;
	}
	return ROTATION_REST;
}

const char *rotation_step_name(enum rotation_step step)
{
	static const char *const names[] = {
		[ROTATION_REST] = "rest",       [ROTATION_CREATE] = "create",   [ROTATION_BEGIN] = "begin",
		[ROTATION_ADOPT] = "adopt",     [ROTATION_SIGN] = "sign",       [ROTATION_PUBLISH] = "publish",
		[ROTATION_CONFIRM] = "confirm", [ROTATION_PREPARE] = "prepare", [ROTATION_PROMOTE] = "promote",
		[ROTATION_DROP] = "drop",
	};

	return names[step];
}

/* Lowers *look to the seconds until `then`, unless that has passed. */
static void look_at(time_t *look, time_t then, time_t now)
{
	if (then > now && then - now < *look)
		*look = then - now;
}

static void look_at_certificate(time_t *look, const struct rotation_ca *certificate, unsigned life, time_t now)
{
	look_at(look, certificate->not_before, now);
	look_at(look, worn_from(certificate, life), now);
	look_at(look, certificate->not_after, now);
}

unsigned rotation_next_look(const struct rotation_view *view, const struct rotation_times *times, time_t now)
{
	time_t look = LOOK_MAX;

	if (view->has_leaf)
		look_at_certificate(&look, &view->leaf, times->leaf_life, now);
	if (view->has_current)
		look_at_certificate(&look, &view->current, times->ca_life, now);
	if (view->has_next) {
		look_at_certificate(&look, &view->next, times->ca_life, now);
		look_at(&look, now + (time_t)times->settle - (time_t)view->settled, now);
	}
	if (view->retired_count > 0)
		look_at(&look, drop_from(view, times), now);
	return look < LOOK_MIN ? LOOK_MIN : (unsigned)look;
}

time_t rotation_leaf_end(const struct rotation_view *view, const struct rotation_times *times, time_t read_at)
{
	const time_t end = read_at + (time_t)times->leaf_life;

	return end < view->current.not_after ? end : view->current.not_after;
}
