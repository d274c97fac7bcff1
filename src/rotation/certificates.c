/* SPDX-License-Identifier: Apache-2.0 */
#include "rotation/certificates.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kube/backoff.h"
#include "kube/last_problem.h"
#include "rotation/replica.h"
#include "rotation/self_check.h"
#include "rotation/take_step.h"
#include "sys/clock.h"
#include "sys/random.h"
#include "sys/thread.h"

enum {
	RECHECK = 30,            /* seconds between two looks if no watch reports a change */
	CALM = 1000,             /* milliseconds between two looks that watches ask for */
	BACKOFF_BASE = 1000,     /* milliseconds before the second attempt at what failed, … */
	BACKOFF_CAP = 30 * 1000, /* … and at most */
	STEPS_IN_A_ROW = 16,     /* a whole rotation takes seven, with waits in between */
	REPEATS_MAX = 5,         /* of a step without lasting effect, before that is a problem */
	UNANSWERED_MAX = 10,     /* self-checks in a row without an answer, before the port counts as dead, … */
	UNANSWERED_REST = 2,     /* … and the seconds between them */
};

struct certificates {
	struct replica replica;
	struct backoff backoff;
	struct last_problem last_problem;
	unsigned repeats;    /* runs of steps that ended with the same step twice, since there was last nothing to do */
	unsigned unanswered; /* self-checks, in a row */
	pthread_t thread;
	atomic_bool stopping;
};

/* Reports what is wrong (NULL: nothing any more) unless it was reported before. */
static void report_trouble(struct certificates *certificates, const char *message)
{
	const struct certificates_observer *observer = &certificates->replica.observer;

	if (last_problem_is_news(&certificates->last_problem, message))
		observer->trouble(observer->context, message);
}

/* What the API server would find with the published bundles: the worst result of them. */
static enum self_check check_bundles(const struct certificates *certificates, const struct registration *registration,
				     struct error *err)
{
	const struct certificates_config *config = &certificates->replica.config;
	enum self_check worst = SELF_CHECK_VERIFIED;

	for (unsigned i = 0; i < registration->count && worst == SELF_CHECK_VERIFIED; i++) {
		const char *bundle = registration->webhooks[i].bundle;

		if (i > 0 && strcmp(bundle, registration->webhooks[i - 1].bundle) == 0)
			continue;
		if (bundle[0]) {
			worst = self_check(config->host, config->port, config->names.dns[0], bundle, err);
		} else {
			error_set(err, ERROR_INVALID, "the registration's webhook %s has no caBundle",
				  registration->webhooks[i].name);
			worst = SELF_CHECK_REFUSED;
		}
	}
	return worst;
}

/* A port that does not answer may be busy: the replica stays ready, unless that lasts. */
static void report_bundles(struct certificates *certificates, const struct registration *registration,
			   struct error *ret_problem)
{
	const struct certificates_observer *observer = &certificates->replica.observer;

	switch (check_bundles(certificates, registration, ret_problem)) {
	case SELF_CHECK_VERIFIED:
		certificates->unanswered = 0;
		ret_problem->code = ERROR_NONE;
		observer->ready(observer->context, NULL);
		return;
	case SELF_CHECK_REFUSED:
		certificates->unanswered = 0;
		observer->ready(observer->context, "the registration's caBundle does not verify the certificate");
		return;
	case SELF_CHECK_UNKNOWN:
		if (++certificates->unanswered >= UNANSWERED_MAX)
			observer->ready(observer->context, "the TLS port does not answer");
		return;
	}
}

/* Reports what others see of this replica, as far as the look knows; *ret_problem says what is wrong. */
static void report_state(struct certificates *certificates, const struct look *look, struct error *ret_problem)
{
	const struct certificates_observer *observer = &certificates->replica.observer;

	*ret_problem = (struct error){0};
	if (look->view.has_current)
		observer->ca_expiry(observer->context, look->view.current.not_after);
	if (!look->has_registration)
		return;
	observer->registered(observer->context, look->registration.complete);
	if (!certificates->replica.has_leaf)
		observer->ready(observer->context, "there is no certificate yet");
	else if (!look->registration.complete)
		observer->ready(observer->context, "the webhooks are not registered");
	else
		report_bundles(certificates, &look->registration, ret_problem);
}

/* -1 and what is wrong, if an admin has to fix it. */
static int check_objects(const struct certificates *certificates, const struct look *look, struct error *err)
{
	const struct certificates_config *config = &certificates->replica.config;
	const struct registration *registration = &look->registration;

	if (look->secret.state == ROTATION_SECRET_BROKEN)
		return error_set(err, ERROR_INVALID,
				 "Secret %s/%s: %s: it is left as it is, and the certificate in use goes on serving; "
				 "delete it to have it created again",
				 config->client.namespace, config->secret, look->secret.problem);
	if (!registration->version[0])
		return error_set(err, ERROR_INVALID,
				 "MutatingWebhookConfiguration %s is missing: apply the manifests again",
				 config->registration);
	if (!registration->complete)
		return error_set(err, ERROR_INVALID,
				 "MutatingWebhookConfiguration %s: webhook %s is missing: apply the manifests again",
				 config->registration, registration->missing);
	if (look->view.rotation_asked && look->view.has_current && !look->view.has_next)
		return error_set(err, ERROR_INVALID,
				 "Secret %s/%s: the requested rotation has to wait: %zu earlier CAs are still trusted, "
				 "because certificates of theirs may be in use",
				 config->client.namespace, config->secret, look->view.retired_count);
	if (kube_client_watch_failed(certificates->replica.client, err))
		return error_prefix(err, "changes are noticed late");
	return 0;
}

/* The result of a look. */
struct outcome {
	enum rotation_step step; /* taken, unless another replica was faster; ROTATION_REST: there is nothing to do … */
	unsigned rest;           /* … for so many seconds */
};

/*
 * Looks, and takes the next step, if any. Signing a certificate for this replica changes nothing that is shared, so the
 * same look is good for another step.
 */
static int look_and_step(struct certificates *certificates, struct look *look, struct outcome *ret_outcome,
			 struct error *err)
{
	struct replica *replica = &certificates->replica;
	const struct rotation_times *times = &replica->config.times;
	enum rotation_step step;
	struct error problem;
	int taken;

	replica_take_look(look, replica);
	step = rotation_next_step(&look->view, times, time(NULL));
	if (step == ROTATION_SIGN) {
		if (take_step(step, look, replica, err) < 0)
			return error_prefix(err, "%s", rotation_step_name(step));
		replica->observer.took(replica->observer.context, step);
		step = rotation_next_step(&look->view, times, time(NULL));
	}
	report_state(certificates, look, &problem);
	if (look->problem.code != ERROR_NONE) {
		*err = look->problem;
		return -1;
	}
	if (step != ROTATION_REST) {
		taken = take_step(step, look, replica, err);
		if (taken < 0)
			return error_prefix(err, "%s", rotation_step_name(step));
		if (taken > 0)
			replica->observer.took(replica->observer.context, step);
		*ret_outcome = (struct outcome){.step = step};
		return 0;
	}
	if (problem.code == ERROR_NONE && check_objects(certificates, look, &problem) == 0)
		problem.code = ERROR_NONE;
	report_trouble(certificates, problem.code == ERROR_NONE ? NULL : problem.message);
	*ret_outcome =
		(struct outcome){.step = ROTATION_REST,
				 .rest = certificates->unanswered ? UNANSWERED_REST
								  : rotation_next_look(&look->view, times, time(NULL))};
	return 0;
}

/*
 * Takes steps as long as there are any. *ret_rest is the seconds until the next look, at most RECHECK. A step that
 * comes twice in a row was overtaken or had no effect: that is slowed down at once, and is a problem if it continues.
 */
static int take_steps(struct certificates *certificates, unsigned *ret_rest, struct error *err)
{
	enum rotation_step last = ROTATION_REST;

	for (int i = 0; i < STEPS_IN_A_ROW && !atomic_load(&certificates->stopping); i++) {
		struct outcome outcome = {.step = ROTATION_REST};
		struct look look;
		int result;

		replica_look_init(&look);
		result = look_and_step(certificates, &look, &outcome, err);
		replica_look_release(&look, &certificates->replica);
		if (result < 0)
			return -1;
		if (outcome.step == ROTATION_REST) {
			certificates->repeats = 0;
			*ret_rest = outcome.rest < RECHECK ? outcome.rest : RECHECK;
			return 0;
		}
		if (outcome.step == last && ++certificates->repeats >= REPEATS_MAX)
			return error_set(err, ERROR_INVALID,
					 "%s: it has no lasting effect: does something change the object back?",
					 rotation_step_name(outcome.step));
		if (outcome.step == last)
			break;
		last = outcome.step;
	}
	*ret_rest = 0;
	return 0;
}

/* Waits until something changes or the time is over, but at least a second. */
static void wait_for_news(struct certificates *certificates, unsigned milliseconds)
{
	struct kube_client *client = certificates->replica.client;
	const uint64_t calm_end = clock_milliseconds() + CALM;
	bool changed = false;
	uint64_t now;

	while (!atomic_load(&certificates->stopping) && (now = clock_milliseconds()) < calm_end)
		changed |= kube_client_wait(client, (unsigned)(calm_end - now));
	if (!changed && milliseconds > CALM && !atomic_load(&certificates->stopping))
		kube_client_wait(client, milliseconds - CALM);
}

static void *run(void *context)
{
	struct certificates *certificates = context;
	struct error err;

	arena_enter(&certificates->replica.arena);
	while (!atomic_load(&certificates->stopping)) {
		unsigned seconds = 0;

		if (take_steps(certificates, &seconds, &err) == 0) {
			backoff_reset(&certificates->backoff);
			wait_for_news(certificates, seconds * 1000);
		} else if (!atomic_load(&certificates->stopping)) {
			report_trouble(certificates, err.message);
			wait_for_news(certificates, backoff_next(&certificates->backoff, random_number()));
		}
	}
	return NULL;
}

static int watch_both(struct replica *replica, struct error *err)
{
	const struct certificates_config *config = &replica->config;
	char path[REPLICA_PATH_MAX];

	snprintf(path, sizeof(path), "/api/v1/namespaces/%s/secrets?fieldSelector=metadata.name%%3D%s",
		 config->client.namespace, config->secret);
	if (kube_client_watch(replica->client, path, err) < 0)
		return -1;
	snprintf(
		path, sizeof(path),
		"/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations?fieldSelector=metadata.name%%3D%s",
		config->registration);
	return kube_client_watch(replica->client, path, err);
}

struct certificates *certificates_start(const struct certificates_config *config,
					const struct certificates_observer *observer, struct error *err)
{
	struct certificates *certificates = calloc(1, sizeof(*certificates));

	if (!certificates) {
		error_set(err, ERROR_NO_MEMORY, "no memory for the thread that manages certificates");
		return NULL;
	}
	certificates->backoff = (struct backoff){.base = BACKOFF_BASE, .cap = BACKOFF_CAP};
	if (replica_init(&certificates->replica, config, observer, err) < 0)
		goto no_replica;
	if (watch_both(&certificates->replica, err) < 0 ||
	    thread_start(&certificates->thread, run, certificates, "that manages certificates", err) < 0)
		goto no_thread;
	return certificates;

no_thread:
	replica_release(&certificates->replica);
no_replica:
	free(certificates);
	return NULL;
}

void certificates_stop(struct certificates *certificates)
{
	if (!certificates)
		return;
	atomic_store(&certificates->stopping, true);
	kube_client_wake(certificates->replica.client);
	pthread_join(certificates->thread, NULL);
	replica_release(&certificates->replica);
	free(certificates);
}
