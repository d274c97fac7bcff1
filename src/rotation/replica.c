/* SPDX-License-Identifier: Apache-2.0 */
#include "rotation/replica.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sys/clock.h"

int replica_init(struct replica *replica, const struct certificates_config *config,
		 const struct certificates_observer *observer, struct error *err)
{
	*replica = (struct replica){.config = *config, .observer = *observer};
	snprintf(replica->secret_path, sizeof(replica->secret_path), "/api/v1/namespaces/%s/secrets/%s",
		 config->client.namespace, config->secret);
	snprintf(replica->registration_path, sizeof(replica->registration_path),
		 "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/%s", config->registration);
	replica->memory = malloc(REPLICA_ARENA_SIZE);
	if (!replica->memory)
		return error_set(err, ERROR_NO_MEMORY, "no memory to read what the API server answers");
	arena_init_fixed(&replica->arena, replica->memory, REPLICA_ARENA_SIZE);
	replica->client = kube_client_new(&config->client, err);
	if (replica->client)
		return 0;
	free(replica->memory);
	return -1;
}

void replica_release(struct replica *replica)
{
	kube_client_free(replica->client);
	free(replica->memory);
}

void replica_look_init(struct look *look)
{
	*look = (struct look){0};
	ca_secret_init(&look->secret);
	buf_init(&look->bundle, REPLICA_BUNDLE_MAX);
}

void replica_look_release(struct look *look, struct replica *replica)
{
	ca_secret_release(&look->secret);
	buf_release(&look->bundle);
	/* The arena held the answers as JSON, and so the CA's key. */
	explicit_bzero(replica->memory, REPLICA_ARENA_SIZE - replica->arena.left);
	arena_reset(&replica->arena);
}

static enum kube_status get(struct replica *replica, const char *path, struct buf *answer, struct error *err)
{
	const struct kube_request request = {.method = "GET", .path = path};

	return kube_client_send(replica->client, &request, answer, err);
}

static int read_registration(struct replica *replica, struct look *look, struct error *err)
{
	CLEANUP(buf_release) struct buf answer;
	enum kube_status status;

	buf_init_secret(&answer, KUBE_ANSWER_MAX);
	status = get(replica, replica->registration_path, &answer, err);
	if (status == KUBE_NOT_FOUND)
		return 0;
	if (status != KUBE_OK)
		return -1;
	return registration_parse(&replica->arena, buf_string(&answer), answer.len, &look->registration, err);
}

static int read_secret(struct replica *replica, struct look *look, struct error *err)
{
	CLEANUP(buf_release) struct buf answer;
	enum kube_status status;

	buf_init_secret(&answer, KUBE_ANSWER_MAX);
	status = get(replica, replica->secret_path, &answer, err);
	if (status == KUBE_NOT_FOUND) {
		look->secret.state = ROTATION_SECRET_MISSING;
		return 0;
	}
	if (status != KUBE_OK)
		return -1;
	return ca_secret_parse(&replica->arena, buf_string(&answer), answer.len, &look->secret, err);
}

/* How long the next CA has been seen as published, without interruption. */
static unsigned seconds_settled(struct replica *replica, const struct rotation_view *view)
{
	const uint64_t now = clock_milliseconds();

	if (!view->has_next || !view->published) {
		replica->settling[0] = '\0';
		return 0;
	}
	if (strcmp(replica->settling, view->next.id) != 0) {
		memcpy(replica->settling, view->next.id, sizeof(replica->settling));
		replica->settling_since = now;
	}
	return (unsigned)((now - replica->settling_since) / 1000);
}

static int count_foreign(struct look *look, struct error *err)
{
	CLEANUP(buf_release) struct buf retired;
	int count;

	buf_init(&retired, CA_SECRET_RETIRED_MAX);
	count = registration_foreign(&look->registration, &look->secret, &retired, err);
	if (count < 0)
		return -1;
	look->view.foreign_count = (size_t)count;
	return 0;
}

void replica_look_see_leaf(struct look *look, const struct replica *replica)
{
	look->view.has_leaf = replica->has_leaf;
	look->view.leaf = replica->leaf;
	memcpy(look->view.leaf_issuer, replica->leaf_issuer, sizeof(look->view.leaf_issuer));
}

static void note_problem(struct look *look, const struct error *err)
{
	if (look->problem.code == ERROR_NONE)
		look->problem = *err;
}

/* Fills in what follows from both objects together. */
static int combine(struct look *look, struct replica *replica, struct error *err)
{
	struct rotation_view *view = &look->view;

	if (ca_secret_view(&look->secret, view, err) < 0 || ca_secret_bundle(&look->secret, &look->bundle, err) < 0 ||
	    count_foreign(look, err) < 0)
		return -1;
	view->registered = look->registration.complete;
	view->published = view->registered && look->bundle.len > 0 &&
			  registration_has(&look->registration, buf_string(&look->bundle));
	view->settled = seconds_settled(replica, view);
	replica_look_see_leaf(look, replica);
	return 0;
}

void replica_take_look(struct look *look, struct replica *replica)
{
	struct error err;

	look->read_at = time(NULL);
	look->has_registration = read_registration(replica, look, &err) == 0;
	if (!look->has_registration) {
		look->registration = (struct registration){0};
		note_problem(look, &err);
	}
	look->has_secret = read_secret(replica, look, &err) == 0;
	if (!look->has_secret || combine(look, replica, &err) < 0) {
		note_problem(look, &err);
		look->view = (struct rotation_view){.secret = ROTATION_SECRET_BROKEN};
	}
}
