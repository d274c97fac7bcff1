/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/finder.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "kube/object.h"
#include "sys/clock.h"
#include "sys/thread.h"

enum {
	PATH_MAX_SIZE = 256, /* bytes: two labels of 63, and what is around them */
	CLOCK_SLACK = 2,     /* milliseconds by which libcurl may see the end of the time before we do */
};

struct job {
	const struct related_list *list;
	void *job;
	uint64_t due; /* clock_milliseconds */
};

struct finder {
	struct finder_config config;
	struct finder_observer observer;
	struct kube_client *client;
	uint64_t paused_until;     /* clock_milliseconds; only for the thread, like the next two */
	bool refused;              /* and that was reported */
	enum related_kind refusal; /* the kind that was refused */
	pthread_mutex_t lock;      /* guards all that follows */
	pthread_cond_t changed;
	struct job jobs[FINDER_JOBS_MAX]; /* a ring; the one under way stays in it until it is done */
	size_t first, count;
	bool stopping;
	pthread_t thread;
};

static void format_path(char ret_path[PATH_MAX_SIZE], const char *namespace, const struct related *related)
{
	switch (related->kind) {
	case RELATED_SERVICE:
		snprintf(ret_path, PATH_MAX_SIZE, OBJECT_SERVICE_PATH, namespace, related->name);
		return;
	case RELATED_STATEFUL_SET:
		snprintf(ret_path, PATH_MAX_SIZE, OBJECT_STATEFUL_SET_PATH, namespace, related->name);
		return;
	}
}

/* Notes whether the API server lets us read such objects. */
static void note_refusal(struct finder *finder, enum related_kind kind, enum kube_status status,
			 const struct error *err)
{
	const struct finder_observer *observer = &finder->observer;

	if (status == KUBE_FORBIDDEN) {
		finder->paused_until = clock_milliseconds() + (uint64_t)finder->config.pause * 1000;
		if (!finder->refused)
			observer->refused(observer->context, err->message);
		finder->refused = true;
		finder->refusal = kind;
	} else if (finder->refused && finder->refusal == kind && (status == KUBE_OK || status == KUBE_NOT_FOUND)) {
		finder->refused = false;
		observer->refused(observer->context, NULL);
	}
}

static enum related_state state_of(enum kube_status status)
{
	switch (status) {
	case KUBE_OK:
		return RELATED_FOUND;
	case KUBE_NOT_FOUND:
		return RELATED_MISSING;
	case KUBE_CONFLICT:
	case KUBE_FORBIDDEN:
	case KUBE_GONE:
	case KUBE_TOO_LARGE:
	case KUBE_REFUSED:
	case KUBE_UNAVAILABLE:
		return RELATED_UNKNOWN;
	}
	return RELATED_UNKNOWN;
}

/* Reads an object in the time that is left. Not from the API server's cache: it may just have been applied. */
static enum related_state look_up(struct finder *finder, const struct job *job, size_t i, uint64_t left)
{
	const struct finder_observer *observer = &finder->observer;
	const struct related *related = &job->list->items[i];
	CLEANUP(buf_release) struct buf answer;
	char path[PATH_MAX_SIZE];
	const struct kube_request request = {.method = "GET", .path = path, .timeout = (unsigned)left};
	enum related_state state;
	enum kube_status status;
	struct error err;

	buf_init(&answer, FINDER_OBJECT_MAX);
	format_path(path, job->list->namespace, related);
	status = kube_client_send(finder->client, &request, &answer, &err);
	note_refusal(finder, related->kind, status, &err);
	state = state_of(status);
	observer->looked(observer->context, job->job, i, state, buf_string(&answer), answer.len);
	return state;
}

/* Looks up all objects, but none while that is refused; late ones are unknown. Returns whether time ran out. */
static bool look_up_all(struct finder *finder, const struct job *job)
{
	const struct finder_observer *observer = &finder->observer;
	bool late = false;

	for (size_t i = 0; i < job->list->len; i++) {
		const uint64_t now = clock_milliseconds();

		if (now < finder->paused_until)
			break;
		if (now < job->due) {
			late = look_up(finder, job, i, job->due - now) == RELATED_UNKNOWN &&
			       clock_milliseconds() + CLOCK_SLACK >= job->due;
		} else {
			late = true;
			observer->looked(observer->context, job->job, i, RELATED_UNKNOWN, "", 0);
		}
	}
	return late;
}

/* Waits for a job, which stays the first in the ring. False if the finder is to stop and none is left. */
static bool next_job(struct finder *finder, struct job *ret_job, bool *ret_stopping)
{
	bool found;

	pthread_mutex_lock(&finder->lock);
	while (finder->count == 0 && !finder->stopping)
		pthread_cond_wait(&finder->changed, &finder->lock);
	found = finder->count > 0;
	*ret_job = finder->jobs[finder->first];
	*ret_stopping = finder->stopping;
	pthread_mutex_unlock(&finder->lock);
	return found;
}

static void drop_job(struct finder *finder)
{
	pthread_mutex_lock(&finder->lock);
	finder->first = (finder->first + 1) % FINDER_JOBS_MAX;
	finder->count--;
	pthread_mutex_unlock(&finder->lock);
}

static void *run(void *context)
{
	struct finder *finder = context;
	const struct finder_observer *observer = &finder->observer;
	struct job job;
	bool stopping;

	while (next_job(finder, &job, &stopping)) {
		const bool late = !stopping && look_up_all(finder, &job);

		drop_job(finder);
		observer->done(observer->context, job.job, late);
	}
	return NULL;
}

bool finder_ask(struct finder *finder, const struct related_list *list, void *job)
{
	const uint64_t due = clock_milliseconds() + finder->config.timeout;
	bool taken;

	pthread_mutex_lock(&finder->lock);
	taken = finder->count < FINDER_JOBS_MAX && !finder->stopping;
	if (taken) {
		finder->jobs[(finder->first + finder->count++) % FINDER_JOBS_MAX] =
			(struct job){.list = list, .job = job, .due = due};
		pthread_cond_signal(&finder->changed);
	}
	pthread_mutex_unlock(&finder->lock);
	return taken;
}

static void finder_free(struct finder *finder)
{
	pthread_cond_destroy(&finder->changed);
	pthread_mutex_destroy(&finder->lock);
	kube_client_free(finder->client);
	free(finder);
}

struct finder *finder_start(const struct finder_config *config, const struct finder_observer *observer,
			    struct error *err)
{
	struct finder *finder = calloc(1, sizeof(*finder));

	if (!finder) {
		error_set(err, ERROR_NO_MEMORY, "no memory for the thread that looks up objects");
		return NULL;
	}
	finder->config = *config;
	finder->observer = *observer;
	pthread_mutex_init(&finder->lock, NULL);
	pthread_cond_init(&finder->changed, NULL);
	finder->client = kube_client_new(&config->client, err);
	if (finder->client && thread_start(&finder->thread, run, finder, "that looks up objects", err) == 0)
		return finder;
	finder_free(finder);
	return NULL;
}

void finder_stop(struct finder *finder)
{
	if (!finder)
		return;
	pthread_mutex_lock(&finder->lock);
	finder->stopping = true;
	pthread_cond_signal(&finder->changed);
	pthread_mutex_unlock(&finder->lock);
	kube_client_wake(finder->client);
	pthread_join(finder->thread, NULL);
	finder_free(finder);
}
