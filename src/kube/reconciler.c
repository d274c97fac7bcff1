#include "kube/reconciler.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/budget.h"
#include "core/json.h"
#include "core/statefulset.h"
#include "kube/backoff.h"
#include "kube/clock.h"
#include "kube/followed.h"
#include "kube/mend.h"
#include "kube/reflector.h"
#include "kube/trouble.h"

enum {
	MEMORY = 16 * 1024 * 1024, /* for objects as trees, one at a time; given back after each */
	FIRST_BLOCK = 64 * 1024,
	TREE_MAX = 6 * 1024 * 1024,
	SETTLES_MAX = 6,           /* times the settling, after which a set that never rests is seen to all the same */
	AGAIN = 1000,              /* milliseconds: another replica, or the set's controller, was faster */
	SERVICE_AGAIN = 60 * 1000, /* while it is not as it should be */
	BACKOFF_BASE = 30 * 1000,
	BACKOFF_CAP = 60 * 60 * 1000,
	PAUSE = 60 * 1000,       /* without the rights */
	STACK_SIZE = 1024 * 1024 /* cJSON recurses through 1,000 levels, and AddressSanitizer makes that dear */
};

#define STATEFULSETS "/apis/apps/v1/statefulsets"

struct reconciler {
	struct reconciler_config config;
	struct reconciler_observer observer;
	struct kube_client *client;
	struct reflector reflector;
	struct followed_sets followed;
	struct budget budget;
	struct arena arena;
	struct trouble trouble;
	uint64_t paused_until;
	pthread_t thread;
	atomic_bool stopping;
};

static uint64_t settle_time(const struct reconciler *reconciler)
{
	/* 0 is never. */
	return (uint64_t)reconciler->config.settle * 1000 + 1;
}

static void tell_trouble(struct reconciler *reconciler, enum kube_status status, const char *message)
{
	const struct reconciler_observer *observer = &reconciler->observer;

	if (trouble_is_news(&reconciler->trouble, message))
		observer->trouble(observer->context, status == KUBE_FORBIDDEN, message);
}

/* It needs care once it has not changed for a while, or has been changing for long. */
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

static void look_at(const struct reconciler *reconciler, struct followed *set, const struct stamp_check *check,
		    bool changed)
{
	const uint64_t now = kube_milliseconds();

	if (check->state == STAMP_CURRENT)
		set->stamp = (struct concern){0};
	else if (changed || set->stamp.since == 0)
		settle(reconciler, &set->stamp, now);
	if (check->size == 0)
		set->service = (struct concern){0};
	else if (changed)
		settle(reconciler, &set->service, now);
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
	struct followed *set;
	bool changed;

	if (!namespace || !name || !uid)
		return;
	statefulset_check_stamp(object, &reconciler->config.review, &reconciler->reflector.arena, &check);
	if (check.state == STAMP_NONE) {
		followed_drop(&reconciler->followed, namespace, name);
		return;
	}
	set = followed_add(&reconciler->followed, namespace, name);
	if (!set || strlen(uid) >= sizeof(set->uid))
		return;
	set->seen = true;
	if (strcmp(set->uid, uid) != 0) {
		set->stamp = set->service = (struct concern){0};
		set->generation = -1;
		memcpy(set->uid, uid, strlen(uid) + 1);
	}
	changed = !cJSON_IsNumber(generation) || set->generation < generation->valuedouble;
	set->generation = cJSON_IsNumber(generation) ? generation->valuedouble : 0;
	look_at(reconciler, set, &check, changed);
}

static void deleted(void *context, const cJSON *object)
{
	struct reconciler *reconciler = context;
	const cJSON *metadata = json_get_object(object, "metadata");
	const char *namespace = json_get_string(metadata, "namespace");
	const char *name = json_get_string(metadata, "name");

	if (namespace && name)
		followed_drop(&reconciler->followed, namespace, name);
}

static void list_begins(void *context)
{
	struct reconciler *reconciler = context;

	followed_begin(&reconciler->followed);
}

static void list_ends(void *context)
{
	struct reconciler *reconciler = context;

	followed_sweep(&reconciler->followed);
}

static void plan(struct concern *concern, enum mend_result result, uint64_t told)
{
	struct backoff backoff = {.base = BACKOFF_BASE, .cap = BACKOFF_CAP, .failures = concern->failures};
	const uint64_t now = kube_milliseconds();

	concern->told = told;
	if (result == MEND_AGAIN) {
		concern->due = now + AGAIN;
	} else if (result == MEND_NOTHING || result == MEND_RESTARTED) {
		concern->due = 0;
	} else {
		concern->due = now + backoff_next(&backoff, kube_random());
		concern->failures = backoff.failures;
	}
}

/* Sees to the one concern of a set. Meanwhile the set may be dropped, and others may come. */
static void mend(struct reconciler *reconciler, const char *namespace, const char *name, bool is_stamp, uint64_t told)
{
	const struct mender mender = {
		.client = reconciler->client, .review = &reconciler->config.review, .arena = &reconciler->arena};
	struct mend_target target = {.namespace = namespace, .name = name, .told = told};
	struct error err = {0};
	const enum mend_result result =
		is_stamp ? mend_stamp(&mender, &target, &err) : mend_service(&mender, &target, &err);
	struct followed *set = followed_find(&reconciler->followed, namespace, name);

	if (set)
		plan(is_stamp ? &set->stamp : &set->service, result, target.told);
	if (set && !is_stamp && result == MEND_TOLD)
		set->service.due = kube_milliseconds() + SERVICE_AGAIN;
	if (result == MEND_RESTARTED)
		reconciler->observer.restarted(reconciler->observer.context, namespace, name, target.was, target.size);
	if (atomic_load(&reconciler->stopping))
		return;
	if (result == MEND_FAILED || result == MEND_FORBIDDEN)
		tell_trouble(reconciler, result == MEND_FORBIDDEN ? KUBE_FORBIDDEN : KUBE_UNAVAILABLE, err.message);
	if (result == MEND_FORBIDDEN)
		reconciler->paused_until = kube_milliseconds() + PAUSE;
}

/* Sees to what is due first, if anything is. */
static bool mend_first(struct reconciler *reconciler)
{
	const uint64_t now = kube_milliseconds();
	char namespace[256], name[256];
	struct followed *set;
	uint64_t due;
	bool is_stamp;

	set = followed_first(&reconciler->followed, &due);
	if (!set || due > now || now < reconciler->paused_until || strlen(set->namespace) >= sizeof(namespace) ||
	    strlen(set->name) >= sizeof(name))
		return false;
	memcpy(namespace, set->namespace, strlen(set->namespace) + 1);
	memcpy(name, set->name, strlen(set->name) + 1);
	is_stamp = set->stamp.due == due;
	mend(reconciler, namespace, name, is_stamp, is_stamp ? set->stamp.told : set->service.told);
	return true;
}

static unsigned time_to_rest(const struct reconciler *reconciler)
{
	const uint64_t now = kube_milliseconds();
	uint64_t next = reflector_next(&reconciler->reflector);
	uint64_t due;

	if (followed_first(&reconciler->followed, &due)) {
		due = due < reconciler->paused_until ? reconciler->paused_until : due;
		next = due < next ? due : next;
	}
	if (next <= now)
		return 0;
	return next - now < PAUSE ? (unsigned)(next - now) : PAUSE;
}

static void *run(void *context)
{
	struct reconciler *reconciler = context;

	while (!atomic_load(&reconciler->stopping)) {
		struct error err = {0};
		const enum kube_status status = reflector_tend(&reconciler->reflector, kube_milliseconds(), &err);

		if (atomic_load(&reconciler->stopping))
			break;
		if (status != KUBE_OK)
			tell_trouble(reconciler, status, err.message);
		else if (kube_client_stream_has_begun(reconciler->client) &&
			 kube_milliseconds() >= reconciler->paused_until)
			tell_trouble(reconciler, KUBE_OK, NULL);
		reconciler->observer.following(reconciler->observer.context, reconciler->followed.count);
		if (!mend_first(reconciler))
			kube_client_wait(reconciler->client, time_to_rest(reconciler));
	}
	return NULL;
}

static int start_thread(struct reconciler *reconciler, struct error *err)
{
	pthread_attr_t attributes;
	int failure;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_SIZE);
	failure = pthread_create(&reconciler->thread, &attributes, run, reconciler);
	pthread_attr_destroy(&attributes);
	return failure ? error_set(err, ERROR_SYSTEM, "cannot start the thread that follows StatefulSets: %s",
				   strerror(failure))
		       : 0;
}

static void release(struct reconciler *reconciler)
{
	reflector_release(&reconciler->reflector);
	followed_release(&reconciler->followed);
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
	budget_init(&reconciler->budget, MEMORY);
	reconciler->client = kube_client_new(&config->client, err);
	if (!reconciler->client)
		goto no_client;
	if (reflector_init(&reconciler->reflector, reconciler->client, STATEFULSETS, &handler, &reconciler->budget,
			   err) < 0)
		goto no_reflector;
	if (arena_init(&reconciler->arena, FIRST_BLOCK, TREE_MAX, &reconciler->budget) < 0) {
		error_set(err, ERROR_NO_MEMORY, "no memory to follow StatefulSets");
		goto no_arena;
	}
	if (start_thread(reconciler, err) == 0)
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
