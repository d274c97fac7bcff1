/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/advisor.h"

#include <stdatomic.h>

static void count(atomic_ulong *counter)
{
	atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

static void looked(void *context, void *job, size_t i, enum related_state state, const char *json, size_t len)
{
	struct advisor *advisor = context;

	count(&advisor->runtime->metrics.advice.lookups[state]);
	if (state == RELATED_FOUND)
		suspended_review_found(job, i, json, len);
	else if (state == RELATED_MISSING)
		suspended_review_missing(job, i);
}

static void done(void *context, void *job, bool late)
{
	struct advisor *advisor = context;

	if (late)
		count(&advisor->runtime->metrics.advice.late);
	suspended_review_resume(job);
}

static void refused(void *context, const char *message)
{
	struct advisor *advisor = context;

	cluster_rights_note(advisor->rights, RIGHTS_ADVICE, advisor->runtime->log, message);
}

/* A review that the finder does not take goes on at once. */
static void ask(void *context, struct suspended_review *review)
{
	struct advisor *advisor = context;
	bool taken;

	pthread_mutex_lock(&advisor->lock);
	taken = advisor->finder && finder_ask(advisor->finder, suspended_review_related(review), review);
	pthread_mutex_unlock(&advisor->lock);
	if (!taken)
		suspended_review_resume(review);
}

static void set_finder(struct advisor *advisor, struct finder *finder)
{
	pthread_mutex_lock(&advisor->lock);
	advisor->finder = finder;
	pthread_mutex_unlock(&advisor->lock);
}

static int start(void *context, struct runtime *runtime, const struct listen_address *address, struct error *err)
{
	struct advisor *advisor = context;
	const struct finder_observer observer = {
		.context = advisor, .looked = looked, .done = done, .refused = refused};
	struct finder *finder;

	(void)address;
	advisor->runtime = runtime;
	if (advisor->problem) {
		cluster_rights_note_absence(runtime->log, advisor->problem->message);
		return 0;
	}
	atomic_store(&runtime->metrics.advice.on, true);
	finder = finder_start(&advisor->config, &observer, err);
	if (!finder)
		return -1;
	set_finder(advisor, finder);
	return 0;
}

static void stop(void *context)
{
	struct advisor *advisor = context;
	struct finder *finder = advisor->finder;

	set_finder(advisor, NULL);
	finder_stop(finder);
}

void advisor_init(struct advisor *advisor)
{
	advisor->finder = NULL;
	pthread_mutex_init(&advisor->lock, NULL);
}

bool advisor_lookup(struct advisor *advisor, struct cluster_lookup *ret_lookup)
{
	if (advisor->problem)
		return false;
	*ret_lookup = (struct cluster_lookup){.context = advisor, .ask = ask};
	return true;
}

struct companion advisor_companion(struct advisor *advisor)
{
	return (struct companion){.context = advisor, .start = start, .stop = stop};
}
