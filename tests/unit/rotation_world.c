/* SPDX-License-Identifier: Apache-2.0 */
#include "rotation_world.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"

enum {
	EPOCH = 1800000000,
	BACKDATE = 60 * 60, /* as MINT_BACKDATE */
};

static void trace(const struct world *world, const char *format, ...) PRINTF_LIKE(2, 3);

static void trace(const struct world *world, const char *format, ...)
{
	va_list args;

	if (!world->trace)
		return;
	printf("    %10.3f ", (double)world->now / WORLD_SECOND);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

static void trace_bundle(const struct world *world, const char *who, const struct world_bundle *bundle)
{
	char text[128] = "";
	size_t len = 0;

	for (unsigned i = 0; world->trace && i < bundle->count; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, " %u", bundle->ids[i]);
	trace(world, "%s: version %u is{%s }", who, world->version, text);
}

static void trace_secret(const struct world *world)
{
	const struct world_secret *secret = &world->secret;

	trace(world, "the Secret: current %u, next %u, %u retired, promoted at %lld", secret->current, secret->next,
	      secret->retired_count, (long long)secret->promoted_at);
}

static bool bundle_has(const struct world_bundle *bundle, unsigned id)
{
	for (unsigned i = 0; i < bundle->count; i++) {
		if (bundle->ids[i] == id)
			return true;
	}
	return false;
}

static void bundle_add(struct world_bundle *bundle, unsigned id)
{
	if (id && bundle->count < WORLD_BUNDLE)
		bundle->ids[bundle->count++] = id;
}

static bool bundles_equal(const struct world_bundle *a, const struct world_bundle *b)
{
	return a->count == b->count && memcmp(a->ids, b->ids, a->count * sizeof(a->ids[0])) == 0;
}

static struct world_bundle asked_bundle(const struct world_secret *secret)
{
	struct world_bundle bundle = {0};

	bundle_add(&bundle, secret->next);
	bundle_add(&bundle, secret->current);
	for (unsigned i = 0; i < secret->retired_count; i++)
		bundle_add(&bundle, secret->retired[i]);
	return bundle;
}

time_t world_clock(const struct world *world, int64_t ahead)
{
	return (time_t)(EPOCH + (world->now + world->leap + ahead) / WORLD_SECOND);
}

static unsigned mint(struct world *world, time_t now)
{
	const unsigned id = ++world->ca_count;
	struct world_ca *ca = &world->cas[id];

	*ca = (struct world_ca){
		.facts = {.not_before = now - BACKDATE, .not_after = now + (time_t)world->times.ca_life}};
	snprintf(ca->facts.id, sizeof(ca->facts.id), "%u", id);
	return id;
}

void world_init(struct world *world, const struct rotation_times *times, enum world_flaw flaw)
{
	const bool traced = world->trace;

	memset(world, 0, offsetof(struct world, versions));
	memset(&world->amnesia, 0, sizeof(*world) - offsetof(struct world, amnesia));
	world->times = *times;
	world->flaw = flaw;
	world->trace = traced;
	world->versions[0] = (struct world_registration){.stranger = true};
}

bool world_has_room(const struct world *world)
{
	return world->ca_count < WORLD_CAS - 100 && world->version < WORLD_VERSIONS - 400;
}

/* The registration changes. CAs that it brings back are known again. */
static void publish(struct world *world, const struct world_bundle *bundle, bool stranger, bool gone)
{
	world->versions[++world->version] =
		(struct world_registration){.since = world->now, .stranger = stranger, .gone = gone, .bundle = *bundle};
	for (unsigned i = 0; !stranger && i < bundle->count; i++) {
		struct world_ca *ca = &world->cas[bundle->ids[i]];

		ca->is_public = true;
		if (ca->forgotten)
			ca->known_from = world->version;
		ca->forgotten = false;
	}
}

static bool is_recorded(const struct world *world, unsigned id)
{
	const struct world_bundle secret = asked_bundle(&world->secret);

	return bundle_has(&secret, id) || bundle_has(&world->versions[world->version].bundle, id);
}

/* Runs what an outsider does to an object, and notes which CAs neither object knows any more. */
static void note_losses(struct world *world, void (*meddle)(struct world *world, const void *how), const void *how)
{
	bool recorded[WORLD_CAS];

	for (unsigned id = 1; id <= world->ca_count; id++)
		recorded[id] = is_recorded(world, id);
	meddle(world, how);
	for (unsigned id = 1; id <= world->ca_count; id++) {
		if (!recorded[id] || !world->cas[id].is_public || is_recorded(world, id))
			continue;
		world->cas[id].forgotten = true;
		world->amnesia = world->version;
		trace(world, "CA %u is forgotten", id);
	}
}

static void lose_secret(struct world *world, const void *how)
{
	const bool *emptied = how;

	trace(world, "the Secret is %s", *emptied ? "emptied" : "deleted");
	world->secret =
		(struct world_secret){.exists = *emptied && world->secret.exists, .version = world->secret.version + 1};
}

void world_lose_secret(struct world *world, bool emptied)
{
	note_losses(world, lose_secret, &emptied);
}

void world_ask(struct world *world)
{
	if (!world->secret.exists)
		return;
	trace(world, "a rotation is asked for");
	world->secret.asked = true;
	world->secret.version++;
}

static void meddle_with_registration(struct world *world, const void *how)
{
	const struct world_registration *registration = how;

	publish(world, &registration->bundle, true, registration->gone);
	trace_bundle(world, registration->gone ? "somebody (no webhooks)" : "somebody", &registration->bundle);
}

void world_meddle(struct world *world, const struct world_bundle *bundle, bool gone)
{
	const struct world_registration how = {.bundle = *bundle, .gone = gone};

	note_losses(world, meddle_with_registration, &how);
}

void world_hear(struct world *world, unsigned server, bool all)
{
	struct world_server *hearing = &world->servers[server];

	if (hearing->version < world->version)
		hearing->version = all ? world->version : hearing->version + 1;
}

void world_pass(struct world *world, int64_t milliseconds)
{
	world->now += milliseconds;
	for (unsigned i = 0; i < WORLD_SERVERS; i++) {
		struct world_server *server = &world->servers[i];

		while (server->version < world->version &&
		       world->versions[server->version + 1].since <= world->now - WORLD_LATE)
			server->version++;
	}
}

void world_restart(struct world *world, unsigned replica)
{
	trace(world, "replica %u starts anew", replica);
	world->replicas[replica] = (struct world_replica){.ahead = world->replicas[replica].ahead};
}

static bool is_newer(const struct world *world, unsigned a, unsigned b)
{
	return world->cas[a].facts.not_before > world->cas[b].facts.not_before;
}

static void swap(unsigned *a, unsigned *b)
{
	const unsigned c = *a;

	*a = *b;
	*b = c;
}

/* What the Secret's retired CAs are with those of the bundle that it does not know, the newest first. */
static struct world_bundle adopted(const struct world *world, const struct world_bundle *published,
				   const struct world_secret *secret)
{
	const struct world_bundle known = asked_bundle(secret);
	struct world_bundle all = {0};

	for (unsigned i = 0; i < secret->retired_count; i++)
		bundle_add(&all, secret->retired[i]);
	for (unsigned i = 0; i < published->count; i++) {
		if (!bundle_has(&known, published->ids[i]) && !bundle_has(&all, published->ids[i]))
			bundle_add(&all, published->ids[i]);
	}
	for (unsigned i = 1; i < all.count; i++) {
		for (unsigned k = i; k > 0 && is_newer(world, all.ids[k], all.ids[k - 1]); k--)
			swap(&all.ids[k], &all.ids[k - 1]);
	}
	return all;
}

static unsigned room_for(unsigned retired)
{
	return retired < ROTATION_CAS_MAX - 1 ? retired : ROTATION_CAS_MAX - 1;
}

static unsigned count_foreign(const struct world *world, const struct world_bundle *published,
			      const struct world_secret *secret)
{
	const struct world_bundle known = asked_bundle(secret);
	const struct world_bundle all = adopted(world, published, secret);
	unsigned count = 0;

	for (unsigned i = 0; i < room_for(all.count); i++)
		count += !bundle_has(&known, all.ids[i]);
	return count;
}

static void see_secret(const struct world *world, const struct world_secret *secret, struct rotation_view *view)
{
	view->secret = !secret->exists   ? ROTATION_SECRET_MISSING
		       : !secret->filled ? ROTATION_SECRET_EMPTY
					 : ROTATION_SECRET_SOUND;
	view->has_current = secret->current != 0;
	view->has_next = secret->next != 0;
	view->current = world->cas[secret->current].facts;
	view->next = world->cas[secret->next].facts;
	view->retired_count = secret->retired_count;
	for (unsigned i = 0; i < secret->retired_count && i < ARRAY_LEN(view->retired); i++)
		view->retired[i] = world->cas[secret->retired[i]].facts;
	view->promoted_at = secret->promoted_at;
	if (world->flaw == FLAW_ONE_MARGIN && view->promoted_at)
		view->promoted_at -= (time_t)world->times.margin;
	view->rotation_asked = secret->asked;
}

static unsigned seconds_settled(const struct world *world, struct world_replica *replica, bool published)
{
	if (!published || !replica->seen.next) {
		replica->settling = 0;
		return 0;
	}
	if (replica->settling != replica->seen.next) {
		replica->settling = replica->seen.next;
		replica->settling_since =
			world->flaw == FLAW_SETTLE_BEFORE_READ ? replica->read_at_monotonic : world->now;
	}
	return (unsigned)((world->now - replica->settling_since) / WORLD_SECOND);
}

static struct rotation_view view_of(const struct world *world, struct world_replica *replica)
{
	const struct world_registration *registration = &world->versions[replica->seen_version];
	const struct world_bundle asked = asked_bundle(&replica->seen);
	struct rotation_view view = {0};

	see_secret(world, &replica->seen, &view);
	view.registered = !registration->gone;
	view.published = view.registered && asked.count > 0 && bundles_equal(&registration->bundle, &asked);
	if (world->flaw != FLAW_NO_ADOPTION)
		view.foreign_count = count_foreign(world, &registration->bundle, &replica->seen);
	view.settled = seconds_settled(world, replica, view.published);
	view.has_leaf = replica->has_leaf;
	view.leaf = replica->leaf;
	memcpy(view.leaf_issuer, world->cas[replica->issuer].facts.id, sizeof(view.leaf_issuer));
	return view;
}

static struct rotation_times times_of(const struct world *world)
{
	struct rotation_times times = world->times;

	if (world->flaw == FLAW_NO_MARGIN)
		times.margin = 0;
	if (world->flaw == FLAW_SHORT_SETTLE)
		times.settle--;
	return times;
}

struct rotation_view world_look(struct world *world, unsigned replica)
{
	struct world_replica *looking = &world->replicas[replica];

	looking->seen_version = world->version;
	looking->seen = world->secret;
	return view_of(world, looking);
}

static void decide(struct world *world, struct world_replica *replica)
{
	const struct rotation_times times = times_of(world);
	const struct rotation_view view = view_of(world, replica);
	const bool has_signed = replica->step == ROTATION_SIGN;

	replica->noted = world_clock(world, replica->ahead);
	replica->step = rotation_next_step(&view, &times, replica->noted);
	/* A replica that has stalled since the reads gets a leaf that is old already: only a new look helps. */
	if (replica->step == ROTATION_REST || (has_signed && replica->step == ROTATION_SIGN))
		replica->at = AT_CLOCK;
	else
		replica->at = AT_UPDATE;
}

static void sign(struct world *world, struct world_replica *replica)
{
	const struct rotation_times times = times_of(world);
	const struct rotation_view view = view_of(world, replica);
	const time_t now = world_clock(world, replica->ahead);
	time_t end = rotation_leaf_end(&view, &times, world->flaw == FLAW_LIFE_FROM_SIGNATURE ? now : replica->read_at);

	if (world->flaw == FLAW_LEAF_OUTLIVES_CA)
		end = replica->read_at + (time_t)times.leaf_life;
	replica->at = AT_CLOCK;
	if (end <= now)
		return;
	replica->has_leaf = true;
	replica->leaf = (struct rotation_ca){.not_before = now - BACKDATE, .not_after = end};
	replica->issuer = replica->seen.current;
	/* Nothing that is shared has changed, so the look is good for another step. */
	replica->at = AT_DECISION;
}

static void adopt(struct world *world, const struct world_replica *replica, struct world_secret *secret)
{
	const struct world_bundle *published = &world->versions[replica->seen_version].bundle;
	const struct world_bundle all = adopted(world, published, secret);

	/* CAs for which there is no room are dropped. */
	for (unsigned i = room_for(all.count); i < all.count; i++)
		world->cas[all.ids[i]].forgotten = true;
	memcpy(secret->retired, all.ids, sizeof(secret->retired));
	secret->retired_count = room_for(all.count);
	secret->promoted_at = 0;
}

static void promote(struct world *world, const struct world_replica *replica, struct world_secret *secret)
{
	/* Until now no replica served anything that an API server could know. */
	if (!secret->current && secret->retired_count == 0 && world->amnesia < replica->seen_version)
		world->amnesia = replica->seen_version - 1;
	if (secret->current && world->flaw != FLAW_NO_RETIRED) {
		memmove(secret->retired + 1, secret->retired, secret->retired_count * sizeof(secret->retired[0]));
		secret->retired[0] = secret->current;
		secret->retired_count++;
	}
	secret->current = secret->next;
	secret->next = 0;
	secret->promoted_at = world->flaw == FLAW_PROMOTER_NOTES_TIME ? replica->noted : 0;
}

/* Turns the Secret that the replica has seen into what the step asks for. */
static void change_secret(struct world *world, const struct world_replica *replica, struct world_secret *secret)
{
	switch (replica->step) {
	case ROTATION_BEGIN:
		secret->filled = true;
		secret->asked = false;
		secret->next = mint(world, replica->noted);
		if (world->flaw == FLAW_FIRST_AT_ONCE)
			promote(world, replica, secret);
		break;
	case ROTATION_ADOPT:
		adopt(world, replica, secret);
		break;
	case ROTATION_PREPARE:
		secret->asked = false;
		secret->next = mint(world, replica->noted);
		break;
	case ROTATION_PROMOTE:
		promote(world, replica, secret);
		break;
	case ROTATION_CONFIRM:
		secret->promoted_at = replica->noted;
		break;
	case ROTATION_DROP:
		secret->retired_count = 0;
		break;
	case ROTATION_REST:
	case ROTATION_CREATE:
	case ROTATION_SIGN:
	case ROTATION_PUBLISH:
		break;
	}
}

static void write_secret(struct world *world, const struct world_replica *replica)
{
	struct world_secret secret = replica->seen;

	if (!world->secret.exists)
		return;
	if (world->secret.version != secret.version && world->flaw != FLAW_BLIND_WRITE)
		return;
	change_secret(world, replica, &secret);
	secret.version = world->secret.version + 1;
	world->secret = secret;
	trace_secret(world);
}

static void write_registration(struct world *world, const struct world_replica *replica)
{
	const struct world_bundle bundle = asked_bundle(&replica->seen);

	if (world->versions[world->version].gone)
		return;
	if (world->version != replica->seen_version && world->flaw != FLAW_BLIND_PUBLISH)
		return;
	publish(world, &bundle, false, false);
	trace_bundle(world, "published", &bundle);
}

static void create_secret(struct world *world)
{
	if (world->secret.exists)
		return;
	world->secret.exists = true;
	world->secret.version++;
}

static void update(struct world *world, struct world_replica *replica)
{
	trace(world, "replica %u: %s", (unsigned)(replica - world->replicas), rotation_step_name(replica->step));
	world->steps++;
	replica->at = AT_CLOCK;
	switch (replica->step) {
	case ROTATION_REST:
		break;
	case ROTATION_CREATE:
		create_secret(world);
		break;
	case ROTATION_SIGN:
		sign(world, replica);
		break;
	case ROTATION_PUBLISH:
		write_registration(world, replica);
		break;
	case ROTATION_BEGIN:
	case ROTATION_ADOPT:
	case ROTATION_CONFIRM:
	case ROTATION_PREPARE:
	case ROTATION_PROMOTE:
	case ROTATION_DROP:
		write_secret(world, replica);
		break;
	}
}

static void read_one(struct world *world, struct world_replica *replica, bool registration)
{
	if (registration)
		replica->seen_version = world->version;
	else
		replica->seen = world->secret;
}

void world_step(struct world *world, unsigned replica)
{
	struct world_replica *stepping = &world->replicas[replica];

	switch (stepping->at) {
	case AT_CLOCK:
		stepping->read_at = world_clock(world, stepping->ahead);
		stepping->read_at_monotonic = world->now;
		stepping->step = ROTATION_REST;
		stepping->at = AT_FIRST_READ;
		break;
	case AT_FIRST_READ:
		read_one(world, stepping, world->flaw != FLAW_SECRET_FIRST);
		stepping->at = AT_SECOND_READ;
		break;
	case AT_SECOND_READ:
		read_one(world, stepping, world->flaw == FLAW_SECRET_FIRST);
		stepping->at = AT_DECISION;
		break;
	case AT_DECISION:
		decide(world, stepping);
		break;
	case AT_UPDATE:
		update(world, stepping);
		break;
	}
}

bool world_settle(struct world *world, unsigned replica, unsigned max)
{
	struct world_replica *settling = &world->replicas[replica];
	bool fresh = settling->at == AT_CLOCK;

	for (unsigned taken = 0; taken < max;) {
		const bool decides = settling->at == AT_DECISION;

		taken += settling->at == AT_UPDATE;
		world_step(world, replica);
		if (settling->at != AT_CLOCK)
			continue;
		if (fresh && decides)
			return true;
		fresh = true;
	}
	return false;
}

static bool fail(struct world *world, const char *format, ...) PRINTF_LIKE(2, 3);

static bool fail(struct world *world, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(world->fault, sizeof(world->fault), format, args);
	va_end(args);
	return false;
}

static bool is_valid(const struct rotation_ca *certificate, time_t now)
{
	return certificate->not_before <= now && now <= certificate->not_after;
}

/* Whether the API server takes what the replica serves, or is excused. */
static bool check_pair(struct world *world, unsigned server, unsigned replica)
{
	const struct world_server *asking = &world->servers[server];
	const struct world_replica *serving = &world->replicas[replica];
	const struct world_registration *known = &world->versions[asking->version];
	const struct world_ca *issuer = &world->cas[serving->issuer];
	const time_t now = world_clock(world, asking->ahead);

	if (!serving->has_leaf || now > serving->leaf.not_after)
		return true;
	if (known->stranger || issuer->forgotten || asking->version < issuer->known_from ||
	    (world->amnesia && asking->version <= world->amnesia))
		return true;
	if (bundle_has(&known->bundle, serving->issuer) && is_valid(&issuer->facts, now) &&
	    is_valid(&serving->leaf, now))
		return true;
	return fail(world, "API server %u, which knows version %u, refuses the leaf of replica %u, signed by CA %u",
		    server, asking->version, replica, serving->issuer);
}

bool world_check(struct world *world)
{
	const struct world_registration *newest = &world->versions[world->version];
	const struct world_secret *secret = &world->secret;

	for (unsigned i = 0; i < WORLD_SERVERS; i++) {
		for (unsigned k = 0; k < WORLD_REPLICAS; k++) {
			if (!check_pair(world, i, k))
				return false;
		}
	}
	if (!newest->stranger && newest->bundle.count > ROTATION_CAS_MAX)
		return fail(world, "%u CAs are published", newest->bundle.count);
	if (secret->retired_count > ROTATION_CAS_MAX - 1)
		return fail(world, "%u CAs are retired", secret->retired_count);
	if (secret->current && secret->current == secret->next)
		return fail(world, "CA %u is current and next", secret->current);
	for (unsigned i = 0; i < secret->retired_count; i++) {
		if (secret->retired[i] == secret->current || secret->retired[i] == secret->next)
			return fail(world, "CA %u is retired and not", secret->retired[i]);
	}
	return true;
}

bool world_is_at_rest(const struct world *world)
{
	const struct world_secret *secret = &world->secret;
	const struct world_registration *newest = &world->versions[world->version];

	if (!secret->filled || !secret->current || secret->next || secret->retired_count || secret->asked)
		return false;
	if (newest->gone || newest->bundle.count != 1 || newest->bundle.ids[0] != secret->current)
		return false;
	for (unsigned i = 0; i < WORLD_REPLICAS; i++) {
		if (!world->replicas[i].has_leaf || world->replicas[i].issuer != secret->current)
			return false;
	}
	return true;
}
