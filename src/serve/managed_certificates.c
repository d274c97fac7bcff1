/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/managed_certificates.h"

#include <stdatomic.h>

#define CERTIFICATE_NAME "just made" /* in messages */

/* What the log says about a step. */
static const struct {
	const char *msg;
	enum log_level level;
} steps[] = {
	[ROTATION_CREATE] = {"the Secret of the CA was missing and has been created again", LOG_LEVEL_WARNING},
	[ROTATION_BEGIN] = {"the first CA has been made", LOG_LEVEL_INFO},
	[ROTATION_ADOPT] = {"the CA was lost; CAs of ours that are still trusted stay trusted for now",
			    LOG_LEVEL_WARNING},
	[ROTATION_CONFIRM] = {"CA rotation: the time of the change has been recorded", LOG_LEVEL_DEBUG},
	[ROTATION_PREPARE] = {"CA rotation: the next CA has been made", LOG_LEVEL_INFO},
	[ROTATION_PROMOTE] = {"the next CA signs from now on", LOG_LEVEL_INFO},
	[ROTATION_DROP] = {"CA rotation: the previous CAs are no longer trusted", LOG_LEVEL_INFO},
	[ROTATION_PUBLISH] = {"the registration's caBundle has been updated", LOG_LEVEL_INFO},
	[ROTATION_SIGN] = {"a new certificate is in use", LOG_LEVEL_INFO},
};

static int serve(void *context, const struct keypair *leaf, struct error *err)
{
	struct managed_certificates *managed = context;
	const struct credentials_pem certificate = {
		.bytes = leaf->certificate.data, .len = leaf->certificate.len, .name = CERTIFICATE_NAME};
	const struct credentials_pem key = {.bytes = leaf->key.data, .len = leaf->key.len, .name = CERTIFICATE_NAME};
	struct credentials *credentials = NULL;

	if (credentials_new(&certificate, &key, &credentials, err) < 0)
		return -1;
	return runtime_use_certificate(managed->runtime, credentials, CERTIFICATE_NAME, err);
}

static void took(void *context, enum rotation_step step)
{
	struct managed_certificates *managed = context;
	struct metrics_managed *metrics = &managed->runtime->metrics.managed;

	if (step == ROTATION_SIGN)
		atomic_fetch_add(&metrics->signed_certificates, 1);
	else if (step == ROTATION_PUBLISH)
		atomic_fetch_add(&metrics->registrations, 1);
	else if (step == ROTATION_PROMOTE)
		atomic_fetch_add(&metrics->rotations, 1);
	else if (step == ROTATION_PREPARE)
		atomic_fetch_add(&metrics->rotations_begun, 1);
	log_event(managed->runtime->log, steps[step].level, steps[step].msg,
		  LOG_FIELDS(LOG_TEXT("step", rotation_step_name(step))));
}

static void trouble(void *context, const char *message)
{
	struct managed_certificates *managed = context;

	atomic_store(&managed->runtime->metrics.managed.in_trouble, message != NULL);
	if (message)
		log_event(managed->runtime->log, LOG_LEVEL_ERROR,
			  "the certificates need attention; the one in use stays in use",
			  LOG_FIELDS(LOG_TEXT("message", message)));
	else
		log_event(managed->runtime->log, LOG_LEVEL_INFO, "the certificates are in order again", NULL);
}

static void ready(void *context, const char *reason)
{
	struct managed_certificates *managed = context;

	runtime_set_not_ready(managed->runtime, reason);
}

static void registered(void *context, bool both)
{
	struct managed_certificates *managed = context;

	atomic_store(&managed->runtime->metrics.managed.registered, both ? METRICS_YES : METRICS_NO);
}

static void ca_expiry(void *context, time_t not_after)
{
	struct managed_certificates *managed = context;

	atomic_store(&managed->runtime->metrics.managed.ca_expiry, not_after);
}

static int start(void *context, struct runtime *runtime, const struct listen_address *address, struct error *err)
{
	struct managed_certificates *managed = context;
	const struct certificates_observer observer = {
		.context = managed,
		.serve = serve,
		.took = took,
		.trouble = trouble,
		.ready = ready,
		.registered = registered,
		.ca_expiry = ca_expiry,
	};

	managed->runtime = runtime;
	managed->config.port = listen_reach(address, managed->host);
	managed->config.host = managed->host;
	atomic_store(&runtime->metrics.managed.on, true);
	runtime_set_not_ready(runtime, "there is no certificate yet");
	managed->certificates = certificates_start(&managed->config, &observer, err);
	return managed->certificates ? 0 : -1;
}

static void stop(void *context)
{
	struct managed_certificates *managed = context;

	certificates_stop(managed->certificates);
}

struct companion managed_certificates_companion(struct managed_certificates *managed)
{
	return (struct companion){.context = managed, .start = start, .stop = stop};
}
