/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/reconciling.h"

#include <stdatomic.h>

#define RESTARTED   "a StatefulSet is restarted with its new group"
#define FAILED      "cannot reconcile a StatefulSet right now"
#define PASSED_OVER "a StatefulSet is not followed: it is too large, or there are too many"
#define TROUBLE     "cannot follow StatefulSets right now"
#define AGAIN       "StatefulSets are followed again"

static void restarted(void *context, const char *namespace, const char *name, unsigned was, unsigned size)
{
	struct runtime *runtime = ((struct reconciling *)context)->runtime;

	atomic_fetch_add(&runtime->metrics.groups.resized, 1);
	log_event(runtime->log, LOG_LEVEL_INFO, RESTARTED,
		  LOG_FIELDS(LOG_TEXT("namespace", namespace), LOG_TEXT("name", name), LOG_NUMBER("before", was),
			     LOG_NUMBER("pods", size)));
}

static void following(void *context, unsigned long count, unsigned long passed_over)
{
	struct runtime *runtime = ((struct reconciling *)context)->runtime;
	struct metrics_groups *groups = &runtime->metrics.groups;

	atomic_store(&groups->followed, count);
	if (passed_over > 0 && atomic_exchange(&groups->passed_over, passed_over) == 0)
		log_event(runtime->log, LOG_LEVEL_WARNING, PASSED_OVER, NULL);
}

static void failed(void *context, const char *namespace, const char *name, const char *message)
{
	struct runtime *runtime = ((struct reconciling *)context)->runtime;

	log_event(runtime->log, LOG_LEVEL_WARNING, FAILED,
		  LOG_FIELDS(LOG_TEXT("namespace", namespace), LOG_TEXT("name", name), LOG_TEXT("message", message)));
}

static void trouble(void *context, bool forbidden, const char *message)
{
	struct reconciling *reconciling = context;
	struct log *log = reconciling->runtime->log;

	if (forbidden || !message)
		cluster_rights_note(reconciling->rights, RIGHTS_RECONCILING, log, message);
	if (!forbidden && message)
		log_event(log, LOG_LEVEL_WARNING, TROUBLE, LOG_FIELDS(LOG_TEXT("message", message)));
	else if (!message && reconciling->in_trouble)
		log_event(log, LOG_LEVEL_INFO, AGAIN, NULL);
	reconciling->in_trouble = !forbidden && message;
}

static int start(void *context, struct runtime *runtime, const struct listen_address *address, struct error *err)
{
	struct reconciling *reconciling = context;
	const struct reconciler_observer observer = {.context = reconciling,
						     .restarted = restarted,
						     .following = following,
						     .failed = failed,
						     .trouble = trouble};

	(void)address;
	reconciling->runtime = runtime;
	reconciling->config.budget = &runtime->budget;
	atomic_store(&runtime->metrics.groups.on, true);
	reconciling->reconciler = reconciler_start(&reconciling->config, &observer, err);
	return reconciling->reconciler ? 0 : -1;
}

static void stop(void *context)
{
	struct reconciling *reconciling = context;

	reconciler_stop(reconciling->reconciler);
}

struct companion reconciling_companion(struct reconciling *reconciling)
{
	return (struct companion){.context = reconciling, .start = start, .stop = stop};
}
