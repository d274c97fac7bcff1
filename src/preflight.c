#include "preflight.h"

#include <stdatomic.h>

static void count(atomic_ulong *counter)
{
	atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

static void looked(void *context, void *job, size_t i, enum related_state state, const char *json, size_t len)
{
	struct preflight *preflight = context;

	count(&preflight->runtime->metrics.advice.lookups[state]);
	if (state == RELATED_FOUND)
		advice_found(job, i, json, len);
	else if (state == RELATED_MISSING)
		advice_missing(job, i);
}

static void done(void *context, void *job, bool late)
{
	struct preflight *preflight = context;

	if (late)
		count(&preflight->runtime->metrics.advice.late);
	advice_done(job);
}

static void refused(void *context, const char *message)
{
	struct preflight *preflight = context;

	cluster_rights_note(preflight->rights, RIGHTS_PREFLIGHT, preflight->runtime->log, message);
}

/* A review that can't be helped goes on at once. */
static void ask(void *context, struct advice *advice)
{
	struct preflight *preflight = context;
	bool taken;

	pthread_mutex_lock(&preflight->lock);
	taken = preflight->finder && finder_ask(preflight->finder, advice_related(advice), advice);
	pthread_mutex_unlock(&preflight->lock);
	if (!taken)
		advice_done(advice);
}

static void set_finder(struct preflight *preflight, struct finder *finder)
{
	pthread_mutex_lock(&preflight->lock);
	preflight->finder = finder;
	pthread_mutex_unlock(&preflight->lock);
}

static int start(void *context, struct runtime *runtime, const struct listen_address *address, struct error *err)
{
	struct preflight *preflight = context;
	const struct finder_observer observer = {
		.context = preflight, .looked = looked, .done = done, .refused = refused};
	struct finder *finder;

	(void)address;
	preflight->runtime = runtime;
	if (preflight->problem) {
		cluster_rights_note_absence(runtime->log, preflight->problem->message);
		return 0;
	}
	atomic_store(&runtime->metrics.advice.on, true);
	finder = finder_start(&preflight->config, &observer, err);
	if (!finder)
		return -1;
	set_finder(preflight, finder);
	return 0;
}

static void stop(void *context)
{
	struct preflight *preflight = context;
	struct finder *finder = preflight->finder;

	set_finder(preflight, NULL);
	finder_stop(finder);
}

void preflight_init(struct preflight *preflight)
{
	preflight->finder = NULL;
	pthread_mutex_init(&preflight->lock, NULL);
}

bool preflight_advisor(struct preflight *preflight, struct advisor *ret_advisor)
{
	if (preflight->problem)
		return false;
	*ret_advisor = (struct advisor){.context = preflight, .ask = ask};
	return true;
}

struct companion preflight_companion(struct preflight *preflight)
{
	return (struct companion){.context = preflight, .start = start, .stop = stop};
}
