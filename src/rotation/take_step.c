/* SPDX-License-Identifier: Apache-2.0 */
#include "rotation/take_step.h"

#include <stdio.h>
#include <string.h>

#include "pki/inspect.h"
#include "pki/mint.h"

enum { BODY_MAX = 512 * 1024 }; /* bytes of a patch */

#define PATCH_TYPE "application/json-patch+json"
#define APPLY_TYPE "application/apply-patch+yaml"

static enum kube_status patch(struct replica *replica, const char *path, const char *type, const struct buf *body,
			      struct error *err)
{
	const struct kube_request request = {
		.method = "PATCH", .path = path, .content_type = type, .body = buf_string(body)};
	CLEANUP(buf_release) struct buf answer;

	buf_init_secret(&answer, KUBE_ANSWER_MAX);
	return kube_client_send(replica->client, &request, &answer, err);
}

/* 0 if others were faster or the object is gone, which the next look shows. */
static int moved_on(enum kube_status status)
{
	return status == KUBE_OK || status == KUBE_CONFLICT || status == KUBE_NOT_FOUND ? 0 : -1;
}

static int create_secret(struct replica *replica, struct error *err)
{
	CLEANUP(buf_release) struct buf body;
	char path[REPLICA_PATH_MAX + 64];
	enum kube_status status;

	buf_init_secret(&body, BODY_MAX);
	snprintf(path, sizeof(path), "%s?fieldManager=tfconfig-webhook", replica->secret_path);
	if (ca_secret_empty(replica->config.client.namespace, replica->config.secret, &body, err) < 0)
		return -1;
	status = patch(replica, path, APPLY_TYPE, &body, err);
	return status == KUBE_OK ? 1 : moved_on(status);
}

/* Returns 1 if the Secret now has the data, 0 if it has changed meanwhile, or -1. */
static int write_secret(struct replica *replica, const struct look *look, struct error *err)
{
	CLEANUP(buf_release) struct buf body;
	enum kube_status status;

	buf_init_secret(&body, BODY_MAX);
	if (ca_secret_patch(&look->secret, &body, err) < 0)
		return -1;
	status = patch(replica, replica->secret_path, PATCH_TYPE, &body, err);
	return status == KUBE_OK ? 1 : moved_on(status);
}

/* Makes a first CA, or one that is to replace another. */
static int prepare(struct replica *replica, struct look *look, struct error *err)
{
	const time_t now = time(NULL);
	const time_t end = now + (time_t)replica->config.times.ca_life;

	if (mint_ca(CA_SECRET_COMMON_NAME, now, end, &look->secret.next, err) < 0)
		return -1;
	look->secret.rotation_asked = false;
	return write_secret(replica, look, err);
}

static int adopt(struct replica *replica, struct look *look, struct error *err)
{
	CLEANUP(buf_release) struct buf retired;

	buf_init(&retired, CA_SECRET_RETIRED_MAX);
	if (registration_foreign(&look->registration, &look->secret, &retired, err) < 0)
		return -1;
	ca_secret_adopt(&look->secret, &retired);
	return write_secret(replica, look, err);
}

static int confirm(struct replica *replica, struct look *look, struct error *err)
{
	look->secret.promoted_at = time(NULL);
	return write_secret(replica, look, err);
}

static int promote(struct replica *replica, struct look *look, struct error *err)
{
	return ca_secret_promote(&look->secret, err) < 0 ? -1 : write_secret(replica, look, err);
}

static int drop(struct replica *replica, struct look *look, struct error *err)
{
	buf_release(&look->secret.retired);
	return write_secret(replica, look, err);
}

static int publish(struct replica *replica, struct look *look, struct error *err)
{
	CLEANUP(buf_release) struct buf body;
	enum kube_status status;

	buf_init_secret(&body, BODY_MAX);
	if (registration_patch(&replica->arena, &look->registration, buf_string(&look->bundle), &body, err) < 0)
		return -1;
	status = patch(replica, replica->registration_path, PATCH_TYPE, &body, err);
	return status == KUBE_OK ? 1 : moved_on(status);
}

static int sign(struct replica *replica, struct look *look, struct error *err)
{
	const struct certificates_config *config = &replica->config;
	const time_t end = rotation_leaf_end(&look->view, &config->times, look->read_at);
	CLEANUP(keypair_release) struct keypair leaf;
	struct inspection found;

	keypair_init(&leaf);
	if (mint_leaf(&look->secret.current, &config->names, time(NULL), end, &leaf, err) < 0 ||
	    inspect_certificate(&leaf.certificate, &found, err) < 0 ||
	    replica->observer.serve(replica->observer.context, &leaf, err) < 0)
		return -1;
	replica->has_leaf = true;
	replica->leaf = (struct rotation_ca){.not_before = found.not_before, .not_after = found.not_after};
	memcpy(replica->leaf.id, found.id, sizeof(found.id));
	memcpy(replica->leaf_issuer, look->view.current.id, sizeof(replica->leaf_issuer));
	replica_look_see_leaf(look, replica);
	return 1;
}

int take_step(enum rotation_step step, struct look *look, struct replica *replica, struct error *err)
{
	switch (step) {
	case ROTATION_REST:
		return 0;
	case ROTATION_CREATE:
		return create_secret(replica, err);
	case ROTATION_BEGIN:
	case ROTATION_PREPARE:
		return prepare(replica, look, err);
	case ROTATION_ADOPT:
		return adopt(replica, look, err);
	case ROTATION_CONFIRM:
		return confirm(replica, look, err);
	case ROTATION_PROMOTE:
		return promote(replica, look, err);
	case ROTATION_DROP:
		return drop(replica, look, err);
	case ROTATION_PUBLISH:
		return publish(replica, look, err);
	case ROTATION_SIGN:
		return sign(replica, look, err);
	}
	return 0;
}
