#include "kube/certificates.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "kube/backoff.h"
#include "kube/replica.h"
#include "kube/self_check.h"

enum {
	RECHECK = 30,            /* seconds between two looks where no watch tells of a change */
	CALM = 1000,             /* milliseconds between two that watches ask for */
	BACKOFF_BASE = 1000,     /* milliseconds before the second try of what failed, … */
	BACKOFF_CAP = 30 * 1000, /* … and at most */
	STEPS_IN_A_ROW = 16,     /* a whole rotation takes six */
	STACK_SIZE = 1024 * 1024 /* cJSON recurses through 1,000 levels, and AddressSanitizer makes that dear */
};

struct certificates {
	struct replica replica;
	struct backoff backoff;
	char trouble[sizeof(((struct error *)NULL)->message)]; /* as last told, "" for none */
	pthread_t thread;
	atomic_bool stopping;
};

/* Tells what is wrong (NULL: nothing any more) unless it was told before. */
static void tell_trouble(struct certificates *certificates, const char *message)
{
	const struct certificates_observer *observer = &certificates->replica.observer;

	if (strcmp(certificates->trouble, message ? message : "") == 0)
		return;
	snprintf(certificates->trouble, sizeof(certificates->trouble), "%s", message ? message : "");
	observer->trouble(observer->context, message);
}

/* Whether an API server that obeys this bundle would talk to this replica. */
static bool verifies(const struct certificates *certificates, const char *bundle, struct error *err)
{
	const struct certificates_config *config = &certificates->replica.config;

	return bundle[0] && self_check(config->host, config->port, config->names.dns[0], bundle, err) == 0;
}

static const char *find_unready(const struct certificates *certificates, const struct look *look)
{
	const struct registration *registration = &look->registration;
	struct error err;

	if (!certificates->replica.has_leaf)
		return "there is no certificate yet";
	if (!registration->complete)
		return "the webhooks are not registered";
	for (unsigned i = 0; i < registration->count; i++) {
		const char *bundle = registration->webhooks[i].bundle;

		if (i > 0 && strcmp(bundle, registration->webhooks[i - 1].bundle) == 0)
			continue;
		if (!verifies(certificates, bundle, &err))
			return "the registration's caBundle does not verify the certificate";
	}
	return NULL;
}

/* -1 and what is wrong, where an admin has to mend it. */
static int check_objects(const struct certificates *certificates, const struct look *look, struct error *err)
{
	const struct certificates_config *config = &certificates->replica.config;
	const struct registration *registration = &look->registration;

	if (look->secret.state == ROTATION_SECRET_BROKEN)
		return error_set(err, ERROR_INVALID,
				 "Secret %s/%s: %s: nothing is changed in it, and the certificate in use serves on; to "
				 "have it made anew, delete it",
				 config->client.namespace, config->secret, look->secret.problem);
	if (!registration->version[0])
		return error_set(err, ERROR_INVALID,
				 "MutatingWebhookConfiguration %s is missing: apply the manifests again",
				 config->registration);
	if (!registration->complete)
		return error_set(err, ERROR_INVALID,
				 "MutatingWebhookConfiguration %s: webhook %s is missing: apply the manifests again",
				 config->registration, registration->missing);
	if (kube_client_watch_failed(certificates->replica.client, err))
		return error_prefix(err, "changes are noticed late");
	return 0;
}

static void tell_state(struct certificates *certificates, const struct look *look)
{
	const struct certificates_observer *observer = &certificates->replica.observer;
	struct error err;

	observer->state(observer->context, look->registration.complete,
			look->view.has_current ? look->view.current.not_after : 0);
	observer->ready(observer->context, find_unready(certificates, look));
	tell_trouble(certificates, check_objects(certificates, look, &err) < 0 ? err.message : NULL);
}

/* Takes a step; in one that fails or is overtaken, what others can see is judged all the same. */
static int take(struct certificates *certificates, enum rotation_step step, struct look *look, struct error *err)
{
	struct replica *replica = &certificates->replica;
	const int taken = step_take(step, look, replica, err);

	if (taken > 0)
		replica->observer.took(replica->observer.context, step);
	if (taken >= 0)
		return 0;
	replica->observer.ready(replica->observer.context, find_unready(certificates, look));
	return error_prefix(err, "%s", rotation_step_name(step));
}

/*
 * Looks, and takes the step that is next, if any. Returns 1 where the next look shall follow at once, 0 where there is
 * nothing to do for *ret_rest seconds.
 */
static int look_and_step(struct certificates *certificates, struct look *look, unsigned *ret_rest, struct error *err)
{
	const struct rotation_times *times = &certificates->replica.config.times;
	enum rotation_step step;

	if (look_take(look, &certificates->replica, err) < 0)
		return -1;
	step = rotation_next_step(&look->view, times, time(NULL));
	/* A certificate of its own changes nothing that others share, so the look is good for another step. */
	if (step == ROTATION_SIGN) {
		if (take(certificates, step, look, err) < 0)
			return -1;
		step = rotation_next_step(&look->view, times, time(NULL));
	}
	if (step != ROTATION_REST)
		return take(certificates, step, look, err) < 0 ? -1 : 1;
	tell_state(certificates, look);
	*ret_rest = rotation_next_look(&look->view, times, time(NULL));
	return 0;
}

/* Takes steps for as long as there are some. Returns the seconds to rest, at most RECHECK, or -1. */
static int work(struct certificates *certificates, struct error *err)
{
	unsigned seconds = 0;

	for (int i = 0; i < STEPS_IN_A_ROW && !atomic_load(&certificates->stopping); i++) {
		struct look look;
		int more;

		look_init(&look);
		more = look_and_step(certificates, &look, &seconds, err);
		look_release(&look, &certificates->replica);
		if (more < 0)
			return -1;
		if (more == 0)
			return (int)(seconds < RECHECK ? seconds : RECHECK);
	}
	return 0;
}

/* Replicas that failed together shall not come back together; where there is no chance, they do. */
static unsigned random_number(void)
{
	unsigned number = 0;

	if (getrandom(&number, sizeof(number), GRND_NONBLOCK) < 0)
		return 0;
	return number;
}

/* Waits until something changes or the time is over, but a second at least: others may be at war over an object. */
static void rest(struct certificates *certificates, unsigned milliseconds)
{
	struct kube_client *client = certificates->replica.client;
	const uint64_t calm_end = replica_milliseconds() + CALM;
	bool changed = false;
	uint64_t now;

	while (!atomic_load(&certificates->stopping) && (now = replica_milliseconds()) < calm_end)
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
		const int seconds = work(certificates, &err);

		if (seconds >= 0) {
			backoff_reset(&certificates->backoff);
			rest(certificates, (unsigned)seconds * 1000);
		} else if (!atomic_load(&certificates->stopping)) {
			tell_trouble(certificates, err.message);
			rest(certificates, backoff_next(&certificates->backoff, random_number()));
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

static int start_thread(struct certificates *certificates, struct error *err)
{
	pthread_attr_t attributes;
	int failure;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_SIZE);
	failure = pthread_create(&certificates->thread, &attributes, run, certificates);
	pthread_attr_destroy(&attributes);
	return failure ? error_set(err, ERROR_SYSTEM, "cannot start the thread of certificates: %s", strerror(failure))
		       : 0;
}

struct certificates *certificates_start(const struct certificates_config *config,
					const struct certificates_observer *observer, struct error *err)
{
	struct certificates *certificates = calloc(1, sizeof(*certificates));

	if (!certificates) {
		error_set(err, ERROR_NO_MEMORY, "no memory for the thread of certificates");
		return NULL;
	}
	certificates->backoff = (struct backoff){.base = BACKOFF_BASE, .cap = BACKOFF_CAP};
	if (replica_init(&certificates->replica, config, observer, err) < 0)
		goto no_replica;
	if (watch_both(&certificates->replica, err) < 0 || start_thread(certificates, err) < 0)
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
