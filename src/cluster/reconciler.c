/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/reconciler.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/json.h"
#include "cluster/sync.h"
#include "cluster/tracked_sets.h"
#include "core/stamp_check.h"
#include "core/statefulset.h"
#include "kube/backoff.h"
#include "kube/last_problem.h"
#include "kube/reflector.h"
#include "sys/clock.h"
#include "sys/random.h"
#include "sys/thread.h"

enum {
	FIRST_BLOCK = 64 * 1024,
	TREE_MAX = 4 * 1024 * 1024, /* bytes of a set as a JSON tree */
	SETTLES_MAX = 6,            /* settling times after which a set that keeps changing is synced all the same */
	/* Milliseconds. */
	AGAIN = 1000,                 /* delay if another replica, or the set's controller, was faster */
	BACKOFF_BASE = 30 * 1000,     /* first delay after a failure or a report, … */
	BACKOFF_CAP = 60 * 60 * 1000, /* … the longest, … */
	SERVICE_CAP = 10 * 60 * 1000, /* … and the longest for a Service, which is not watched */
	CALM = 10 * 60 * 1000,        /* without a restart, after which the next counts as the first */
	RESTARTS_FREE = 3,            /* those that happen as soon as they are due; from then on … */
	RESTARTS_BASE = 60 * 1000,    /* … they are held back, longer each time */
	PAUSE = 60 * 1000,            /* before the next attempt without the right to read */
	POLL = 60 * 1000,
};

#define STATEFULSETS "/apis/apps/v1/statefulsets"

struct reconciler {
	struct reconciler_config config;
	struct reconciler_observer observer;
	struct kube_client *client;
	struct reflector reflector;
	struct tracked_sets tracked;
	struct arena arena;
	struct last_problem last_problem;
	bool forbidden[CONCERN_KINDS]; /* to read what it is about: as last tried */
	unsigned long untracked;       /* times that a set had no place among the tracked ones */
	uint64_t paused_until;
	pthread_t thread;
	atomic_bool stopping;
};

static uint64_t settle_time(const struct reconciler *reconciler)
{
	/* Plus 1, as a due time of 0 means never. */
	return (uint64_t)reconciler->config.settle * 1000 + 1;
}

static void report_trouble(struct reconciler *reconciler, enum kube_status status, const char *message)
{
	const struct reconciler_observer *observer = &reconciler->observer;

	if (last_problem_is_news(&reconciler->last_problem, message))
		observer->trouble(observer->context, status == KUBE_FORBIDDEN, message);
}

/* Makes a concern due once the set has not changed for a while, or has been changing for a long time. */
static void settle(const struct reconciler *reconciler, struct concern *concern, uint64_t now)
{
	const uint64_t time = settle_time(reconciler);
	uint64_t latest;

	if (concern->since == 0)
		concern->since = now;
	latest = concern->since + SETTLES_MAX * time;
	concern->due = now + time < latest ? now + time : latest;
	concern->failures = 0;
}

/* Whatever makes a set restart again and again must not stop its training: restarts get rarer. */
static void hold_back(struct tracked_set *set)
{
	struct backoff backoff = {.base = RESTARTS_BASE, .cap = BACKOFF_CAP};
	struct concern *stamp = &set->concerns[CONCERN_STAMP];
	uint64_t earliest;

	if (stamp->due == 0 || set->restarts < RESTARTS_FREE)
		return;
	backoff.failures = set->restarts - RESTARTS_FREE;
	earliest = set->restarted_at + backoff_next(&backoff, 0);
	if (stamp->due < earliest)
		stamp->due = earliest;
}

/* Plans what a set needs as it was seen now. `changed`: its spec is not the one that was seen before. */
static void plan_concerns(const struct reconciler *reconciler, struct tracked_set *set, const struct stamp_check *check,
			  bool changed)
{
	struct concern *stamp = &set->concerns[CONCERN_STAMP];
	struct concern *service = &set->concerns[CONCERN_SERVICE];
	const uint64_t now = clock_milliseconds();

	if (check->state == STAMP_CURRENT)
		*stamp = (struct concern){0};
	else if (changed || (stamp->since == 0 && stamp->due == 0))
		settle(reconciler, stamp, now);
	hold_back(set);
	if (check->size == 0)
		*service = (struct concern){0};
	else if (changed)
		settle(reconciler, service, now);
}

static void seen(void *context, const cJSON *object)
{
	struct reconciler *reconciler = context;
	const cJSON *metadata = json_get_object(object, "metadata");
	const char *namespace = json_get_string(metadata, "namespace");
	const char *name = json_get_string(metadata, "name");
	const char *uid = json_get_string(metadata, "uid");
	const cJSON *generation = json_get(metadata, "generation");
	struct stamp_check check;
	struct tracked_set *set;
	bool changed;

	if (!namespace || !name || !uid)
		return;
	stamp_check(&statefulset_kind, object, &reconciler->config.review, &reconciler->reflector.arena, &check);
	if (reconciler->reflector.arena.state != ARENA_OK)
		return; /* which the reflector handles */
	if (check.state == STAMP_NONE) {
		tracked_sets_drop(&reconciler->tracked, namespace, name);
		return;
	}
	set = tracked_sets_add(&reconciler->tracked, namespace, name);
	if (!set || strlen(uid) >= sizeof(set->uid)) {
		reconciler->untracked++;
		return;
	}
	set->seen = true;
	if (strcmp(set->uid, uid) != 0) {
		memset(set->concerns, 0, sizeof(set->concerns));
		set->restarts = 0;
		set->generation = -1;
		memcpy(set->uid, uid, strlen(uid) + 1);
	}
	changed = !cJSON_IsNumber(generation) || set->generation < generation->valuedouble;
	set->generation = cJSON_IsNumber(generation) ? generation->valuedouble : 0;
	plan_concerns(reconciler, set, &check, changed);
}

static void deleted(void *context, const cJSON *object)
{
	struct reconciler *reconciler = context;
	const cJSON *metadata = json_get_object(object, "metadata");
	const char *namespace = json_get_string(metadata, "namespace");
	const char *name = json_get_string(metadata, "name");

	if (namespace && name)
		tracked_sets_drop(&reconciler->tracked, namespace, name);
}

static void list_begins(void *context)
{
	struct reconciler *reconciler = context;

	tracked_sets_begin(&reconciler->tracked);
}

static void list_ends(void *context)
{
	struct reconciler *reconciler = context;

	tracked_sets_sweep(&reconciler->tracked);
}

/* Plans the next attempt, unless the set has changed meanwhile: that has planned already. */
static void plan_retry(struct concern *concern, enum concern_kind kind, enum sync_result result)
{
	struct backoff backoff = {.base = result == SYNC_AGAIN ? AGAIN : BACKOFF_BASE,
				  .cap = kind == CONCERN_STAMP ? BACKOFF_CAP : SERVICE_CAP,
				  .failures = concern->failures};

	if (concern->due != 0)
		return;
	if (result == SYNC_NOTHING || result == SYNC_RESTARTED) {
		concern->failures = 0;
	} else if (result == SYNC_FORBIDDEN) {
		concern->due = clock_milliseconds() + PAUSE;
	} else {
		concern->due = clock_milliseconds() + backoff_next(&backoff, random_number());
		concern->failures = backoff.failures;
	}
	if (result != SYNC_AGAIN)
		concern->since = 0;
}

static void note_restart(struct tracked_set *set)
{
	const uint64_t now = clock_milliseconds();

	if (now - set->restarted_at >= CALM)
		set->restarts = 0;
	set->restarts++;
	set->restarted_at = now;
	hold_back(set);
}

static bool is_forbidden(const struct reconciler *reconciler)
{
	for (enum concern_kind kind = CONCERN_STAMP; kind < CONCERN_KINDS; kind++) {
		if (reconciler->forbidden[kind])
			return true;
	}
	return false;
}

/* A failure is reported when it starts, not for each attempt. */
static bool is_first_failure(enum sync_result result, const struct concern *concern)
{
	return result == SYNC_FAILED && concern->failures == 1;
}

/* Without the right to read one set, nothing can be done for any. That is reported once, not for each. */
static void note_rights(struct reconciler *reconciler, enum concern_kind kind, enum sync_result result,
			const struct error *err)
{
	const bool known = is_forbidden(reconciler);

	if (result != SYNC_FAILED)
		reconciler->forbidden[kind] = result == SYNC_FORBIDDEN;
	if (result != SYNC_FORBIDDEN)
		return;
	if (!known)
		report_trouble(reconciler, KUBE_FORBIDDEN, err->message);
	if (kind == CONCERN_STAMP)
		reconciler->paused_until = clock_milliseconds() + PAUSE;
}

static enum sync_result sync(struct reconciler *reconciler, struct sync_target *target, enum concern_kind kind,
			     struct error *err)
{
	const struct syncer syncer = {
		.client = reconciler->client, .review = &reconciler->config.review, .arena = &reconciler->arena};

	return kind == CONCERN_STAMP ? sync_stamp(&syncer, target, err) : sync_service(&syncer, target, err);
}

/* Syncs one concern of a set. Meanwhile the set may be dropped, and others may come. */
static void sync_and_plan(struct reconciler *reconciler, struct sync_target *target, enum concern_kind kind)
{
	const struct reconciler_observer *observer = &reconciler->observer;
	struct error err = {0};
	const enum sync_result result = sync(reconciler, target, kind, &err);
	struct tracked_set *set = tracked_sets_find(&reconciler->tracked, target->namespace, target->name);
	struct concern *concern;

	if (result == SYNC_RESTARTED)
		observer->restarted(observer->context, target->namespace, target->name, target->was, target->size);
	if (!set || atomic_load(&reconciler->stopping))
		return;
	concern = &set->concerns[kind];
	concern->reported = target->reported;
	if (target->restarted)
		note_restart(set);
	plan_retry(concern, kind, result);
	if (is_first_failure(result, concern))
		observer->failed(observer->context, target->namespace, target->name, err.message);
	note_rights(reconciler, kind, result, &err);
}

/* While the API server is away, or forbids reading, each attempt would fail. */
static bool may_sync(const struct reconciler *reconciler)
{
	return kube_client_stream_has_started(reconciler->client) && clock_milliseconds() >= reconciler->paused_until;
}

/* Syncs the concern that is due first, if any is. */
static bool sync_first(struct reconciler *reconciler)
{
	char namespace[TRACKED_SETS_NAME_MAX + 1], name[TRACKED_SETS_NAME_MAX + 1];
	struct sync_target target = {.namespace = namespace, .name = name};
	enum concern_kind kind;
	struct concern *concern;
	struct tracked_set *set;

	set = tracked_sets_first(&reconciler->tracked, &kind);
	if (!set || !may_sync(reconciler) || set->concerns[kind].due > clock_milliseconds())
		return false;
	memcpy(namespace, set->namespace, strlen(set->namespace) + 1);
	memcpy(name, set->name, strlen(set->name) + 1);
	concern = &set->concerns[kind];
	concern->due = 0; /* so that a change in the meantime is not lost */
	target.reported = concern->reported;
	sync_and_plan(reconciler, &target, kind);
	return true;
}

/* Milliseconds until something is due, even if the API server has no news. */
static unsigned time_to_wait(const struct reconciler *reconciler)
{
	const uint64_t now = clock_milliseconds();
	uint64_t next = reflector_next(&reconciler->reflector);
	const struct tracked_set *first;
	enum concern_kind kind;

	first = tracked_sets_first(&reconciler->tracked, &kind);
	if (first && kube_client_stream_has_started(reconciler->client)) {
		const uint64_t due = first->concerns[kind].due;
		const uint64_t allowed = due < reconciler->paused_until ? reconciler->paused_until : due;

		next = allowed < next ? allowed : next;
	}
	if (next <= now)
		return 0;
	return next - now < POLL ? (unsigned)(next - now) : POLL;
}

static void *run(void *context)
{
	struct reconciler *reconciler = context;
	const struct reconciler_observer *observer = &reconciler->observer;

	while (!atomic_load(&reconciler->stopping)) {
		struct error err = {0};
		const enum kube_status status = reflector_tend(&reconciler->reflector, clock_milliseconds(), &err);

		if (atomic_load(&reconciler->stopping))
			break;
		if (status != KUBE_OK)
			report_trouble(reconciler, status, err.message);
		else if (kube_client_stream_has_started(reconciler->client) && !is_forbidden(reconciler))
			report_trouble(reconciler, KUBE_OK, NULL);
		observer->following(observer->context, reconciler->tracked.count,
				    reconciler->reflector.skipped + reconciler->untracked);
		if (!sync_first(reconciler))
			kube_client_wait(reconciler->client, time_to_wait(reconciler));
	}
	return NULL;
}

static void release(struct reconciler *reconciler)
{
	reflector_release(&reconciler->reflector);
	tracked_sets_release(&reconciler->tracked);
	arena_release(&reconciler->arena);
	kube_client_free(reconciler->client);
	free(reconciler);
}

struct reconciler *reconciler_start(const struct reconciler_config *config, const struct reconciler_observer *observer,
				    struct error *err)
{
	struct reconciler *reconciler = calloc(1, sizeof(*reconciler));
	const struct reflector_handler handler = {.context = reconciler,
						  .list_begins = list_begins,
						  .seen = seen,
						  .deleted = deleted,
						  .list_ends = list_ends};

	if (!reconciler) {
		error_set(err, ERROR_NO_MEMORY, "no memory to follow StatefulSets");
		return NULL;
	}
	reconciler->config = *config;
	reconciler->observer = *observer;
	reconciler->client = kube_client_new(&config->client, err);
	if (!reconciler->client)
		goto no_client;
	if (reflector_init(&reconciler->reflector, reconciler->client, STATEFULSETS, &handler, config->budget, err) < 0)
		goto no_reflector;
	if (arena_init(&reconciler->arena, FIRST_BLOCK, TREE_MAX, config->budget) < 0) {
		error_set(err, ERROR_NO_MEMORY, "no memory to follow StatefulSets");
		goto no_arena;
	}
	if (thread_start(&reconciler->thread, run, reconciler, "that follows StatefulSets", err) == 0)
		return reconciler;
no_arena:
	arena_release(&reconciler->arena);
	reflector_release(&reconciler->reflector);
no_reflector:
	kube_client_free(reconciler->client);
no_client:
	free(reconciler);
	return NULL;
}

void reconciler_stop(struct reconciler *reconciler)
{
	if (!reconciler)
		return;
	atomic_store(&reconciler->stopping, true);
	kube_client_wake(reconciler->client);
	pthread_join(reconciler->thread, NULL);
	release(reconciler);
}
