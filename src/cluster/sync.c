/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/sync.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/rfc3339.h"
#include "cluster/event.h"
#include "core/messages.h"
#include "core/service_advice.h"
#include "core/stamp_check.h"
#include "core/statefulset.h"
#include "kube/object.h"

enum { ANSWER_MAX = 2 * 1024 * 1024, PATH_SIZE = 1024, EVENT_ARENA = 32 * 1024 };

#define RESTARTED_AT "kubectl.kubernetes.io/restartedAt"

/* The set as the API server has it, and what stage 1 makes of it. */
struct found {
	const cJSON *object; /* in the arena, as are the strings of the check */
	struct stamp_check check;
	char uid[64], version[OBJECT_VERSION_SIZE], restarted_at[RFC3339_SIZE];
};

struct restart {
	const struct found *before;
	char time[RFC3339_SIZE];
	struct buf answer; /* the set as it is after the restart, or as it would be after one */
};

static enum sync_result result_of(enum kube_status status)
{
	switch (status) {
	case KUBE_OK:
	case KUBE_NOT_FOUND:
		return SYNC_NOTHING;
	case KUBE_CONFLICT:
		return SYNC_AGAIN;
	case KUBE_FORBIDDEN:
	case KUBE_GONE:
	case KUBE_TOO_LARGE:
	case KUBE_REFUSED:
	case KUBE_UNAVAILABLE:
		return SYNC_FAILED;
	}
	return SYNC_FAILED;
}

/* For a GET, where 403 means that we lack the right. On a write it may concern this set alone (a quota, a policy). */
static enum sync_result result_of_get(enum kube_status status)
{
	return status == KUBE_FORBIDDEN ? SYNC_FORBIDDEN : result_of(status);
}

/* Returns the length. */
static int write_path(char ret_path[PATH_SIZE], const struct sync_target *target)
{
	return snprintf(ret_path, PATH_SIZE, OBJECT_STATEFUL_SET_PATH, target->namespace, target->name);
}

/* -1 if it is not a StatefulSet, or too large. */
static int read_set(const struct syncer *syncer, const struct buf *answer, struct found *found, struct error *err)
{
	const char *restarted_at;
	const cJSON *metadata;
	struct workload set;

	*found = (struct found){.object = json_parse(syncer->arena, buf_string(answer), answer->len, err)};
	if (!found->object)
		return error_prefix(err, "a StatefulSet can't be read");
	metadata = json_get_object(found->object, "metadata");
	if (!object_copy_plain(found->uid, sizeof(found->uid), json_get_string(metadata, "uid")) ||
	    !object_copy_plain(found->version, sizeof(found->version), json_get_string(metadata, "resourceVersion")))
		return error_set(err, ERROR_INVALID, "a StatefulSet has no uid or no resourceVersion");
	set = workload_of(&statefulset_kind, found->object);
	restarted_at = json_get_string(set.annotations, RESTARTED_AT);
	if (restarted_at && strlen(restarted_at) < sizeof(found->restarted_at))
		memcpy(found->restarted_at, restarted_at, strlen(restarted_at) + 1);
	stamp_check(&statefulset_kind, found->object, syncer->review, syncer->arena, &found->check);
	if (syncer->arena->state != ARENA_OK)
		return error_set(err, ERROR_NO_MEMORY, "a StatefulSet needs more memory than there is for one");
	return 0;
}

static enum kube_status get_set(const struct syncer *syncer, const struct sync_target *target, struct buf *answer,
				struct found *found, struct error *err)
{
	char path[PATH_SIZE];
	const struct kube_request request = {.method = "GET", .path = path};
	enum kube_status status;

	write_path(path, target);
	status = kube_client_send(syncer->client, &request, answer, err);
	if (status != KUBE_OK)
		return status;
	return read_set(syncer, answer, found, err) < 0 ? KUBE_REFUSED : KUBE_OK;
}

/* Reports an event, unless it was the last one. One that is refused, for example by a quota, is not tried again. */
static enum sync_result report(const struct syncer *syncer, struct sync_target *target, const struct event *event,
			       struct error *err)
{
	char memory[EVENT_ARENA];
	struct arena arena;
	enum kube_status status;

	if (target->reported == event_number(event))
		return SYNC_REPORTED;
	arena_init_fixed(&arena, memory, sizeof(memory));
	status = event_report(syncer->client, &arena, event, err);
	if (status == KUBE_UNAVAILABLE)
		return SYNC_FAILED;
	target->reported = event_number(event);
	return SYNC_REPORTED;
}

static enum sync_result report_stale(const struct syncer *syncer, struct sync_target *target, const struct found *found,
				     const char *message, const char *key, struct error *err)
{
	const struct event event = {.namespace = target->namespace,
				    .name = target->name,
				    .uid = found->uid,
				    .warning = true,
				    .reason = "GroupStale",
				    .message = message ? message : "",
				    .key = key};

	return report(syncer, target, &event, err);
}

/* Patches the set as `kubectl rollout restart` does, but only this version of it. */
static enum kube_status send_restart(const struct syncer *syncer, const struct sync_target *target,
				     struct restart *restart, bool dry_run, struct error *err)
{
	CLEANUP(buf_release) struct buf body = {0};
	char path[PATH_SIZE + 64];
	struct kube_request request = {.method = "PATCH", .path = path, .content_type = KUBE_MERGE_PATCH};
	const int len = write_path(path, target);

	snprintf(path + len, sizeof(path) - (size_t)len, "?fieldManager=tfconfig-webhook%s",
		 dry_run ? "&dryRun=All" : "");
	buf_init(&body, 1024);
	buf_addf(&body,
		 "{\"metadata\":{\"resourceVersion\":\"%s\"},\"spec\":{\"template\":{\"metadata\":{\"annotations\":"
		 "{\"" RESTARTED_AT "\":\"%s\"}}}}}",
		 restart->before->version, restart->time);
	if (body.failed) {
		error_set(err, ERROR_NO_MEMORY, "no memory for a patch");
		return KUBE_UNAVAILABLE;
	}
	request.body = buf_string(&body);
	return kube_client_send(syncer->client, &request, &restart->answer, err);
}

static enum sync_result report_refusal(const struct syncer *syncer, struct sync_target *target,
				       const struct found *found, const struct error *why, struct error *err)
{
	/* The refusal may contain a time or a number, so its text can't be the key. */
	const char *key = arena_printf(syncer->arena, "refused %u %u", found->check.was, found->check.size);

	return report_stale(
		syncer, target, found,
		arena_printf(syncer->arena, EVENT_NOT_RESTARTED, found->check.was, found->check.size, why->message),
		key, err);
}

static void report_resized(const struct syncer *syncer, struct sync_target *target, const struct found *found)
{
	const char *how = found->check.rolls ? EVENT_RESTARTED : EVENT_NOT_ROLLED;
	const char *message =
		found->check.was ? arena_printf(syncer->arena, EVENT_RESIZED, found->check.size, found->check.was, how)
				 : arena_printf(syncer->arena, EVENT_FIRST_GROUP, found->check.size, how);
	const struct event event = {.namespace = target->namespace,
				    .name = target->name,
				    .uid = found->uid,
				    .reason = "GroupResized",
				    .message = message ? message : "",
				    .by_one = true};
	struct error unheard;

	target->was = found->check.was;
	target->size = found->check.size;
	target->reported = 0;
	/* The set is restarted, whether that can be reported or not. */
	(void)report(syncer, target, &event, &unheard);
	target->reported = 0;
}

/*
 * Checks what the API server has made, or would make, of the set. If replicas of two versions run, stage 1 may write
 * another group than this one expects; that must not cause a restart each time.
 */
static enum sync_result check_restart(const struct syncer *syncer, struct sync_target *target,
				      const struct restart *restart, struct error *err)
{
	const struct found *before = restart->before;
	struct found after;

	if (read_set(syncer, &restart->answer, &after, err) < 0)
		return SYNC_FAILED;
	if (after.check.state == STAMP_CURRENT)
		return SYNC_RESTARTED;
	if (after.check.was == before->check.was)
		return report_stale(syncer, target, before, EVENT_NOT_REVIEWED, NULL, err);
	error_set(err, ERROR_INVALID, "a restart gives it a different group than this replica expects");
	return SYNC_FAILED;
}

static void restart_release(struct restart *restart)
{
	buf_release(&restart->answer);
}

/* Restarts the set if a dry run shows that its stamp will be current then. Ends the tree that was read. */
static enum sync_result restart_set(const struct syncer *syncer, struct sync_target *target, const struct found *found,
				    struct error *err)
{
	CLEANUP(restart_release) struct restart restart = {.before = found};
	enum sync_result result;
	enum kube_status status;
	struct error why;

	rfc3339_write(time(NULL), restart.time);
	if (strcmp(found->restarted_at, restart.time) == 0)
		return SYNC_AGAIN; /* the same time again would change nothing */
	arena_reset(syncer->arena);
	buf_init(&restart.answer, ANSWER_MAX);
	status = send_restart(syncer, target, &restart, true, &why);
	/* Whatever refuses a dry run (a webhook may use 403) would refuse the restart. */
	if (status == KUBE_REFUSED || status == KUBE_FORBIDDEN)
		return report_refusal(syncer, target, found, &why, err);
	if (status == KUBE_OK) {
		result = check_restart(syncer, target, &restart, err);
		if (result != SYNC_RESTARTED)
			return result;
		arena_reset(syncer->arena);
		status = send_restart(syncer, target, &restart, false, &why);
	}
	if (status != KUBE_OK) {
		*err = why;
		return result_of(status);
	}
	target->restarted = true;
	result = check_restart(syncer, target, &restart, err);
	if (result == SYNC_RESTARTED)
		report_resized(syncer, target, found);
	return result;
}

static const char *stale_message(const struct syncer *syncer, const struct sync_target *target,
				 const struct stamp_check *check)
{
	if (check->state == STAMP_DENIED)
		return check->denial;
	if (check->was == 0)
		return arena_printf(syncer->arena, EVENT_NO_GROUP, target->namespace, target->name);
	return arena_printf(syncer->arena, EVENT_STALE, check->was, check->size, target->namespace, target->name);
}

static enum sync_result reconcile_stamp(const struct syncer *syncer, struct sync_target *target, struct error *err)
{
	CLEANUP(buf_release) struct buf answer = {0};
	struct found found;
	enum kube_status status;

	buf_init(&answer, ANSWER_MAX);
	status = get_set(syncer, target, &answer, &found, err);
	if (status != KUBE_OK)
		return result_of_get(status);
	switch (found.check.state) {
	case STAMP_NONE:
	case STAMP_CURRENT:
		target->reported = 0;
		return SYNC_NOTHING;
	case STAMP_STALE:
		if (found.check.restarts)
			return restart_set(syncer, target, &found, err);
		break;
	case STAMP_DENIED:
		break;
	}
	return report_stale(syncer, target, &found, stale_message(syncer, target, &found.check), NULL, err);
}

/* Reports what is wrong with the Service, in the words of stage 1's warnings. */
static enum sync_result report_service(const struct syncer *syncer, struct sync_target *target,
				       const struct found *found, const cJSON *service, struct error *err)
{
	const struct workload set = workload_of(&statefulset_kind, found->object);
	struct verdict verdict = {.arena = syncer->arena, .object = ""};
	struct event event = {.namespace = target->namespace, .name = target->name, .uid = found->uid, .warning = true};

	service_advice_give(&set, found->check.service, service, &verdict);
	event.message = verdict.warnings ? cJSON_GetStringValue(verdict.warnings->child) : NULL;
	if (!event.message) {
		target->reported = 0;
		return SYNC_NOTHING;
	}
	event.reason = service ? "ServiceNotReady" : "ServiceMissing";
	return report(syncer, target, &event, err);
}

static enum sync_result reconcile_service(const struct syncer *syncer, struct sync_target *target, struct error *err)
{
	CLEANUP(buf_release) struct buf set_answer = {0};
	CLEANUP(buf_release) struct buf answer = {0};
	char path[PATH_SIZE];
	const struct kube_request request = {.method = "GET", .path = path};
	struct found found;
	const cJSON *service = NULL;
	enum kube_status status;

	buf_init(&set_answer, ANSWER_MAX);
	buf_init(&answer, ANSWER_MAX);
	status = get_set(syncer, target, &set_answer, &found, err);
	if (status != KUBE_OK)
		return result_of_get(status);
	if (found.check.state == STAMP_NONE || found.check.size == 0 || !found.check.service)
		return SYNC_NOTHING;
	snprintf(path, sizeof(path), OBJECT_SERVICE_PATH, target->namespace, found.check.service);
	status = kube_client_send(syncer->client, &request, &answer, err);
	if (status == KUBE_OK) {
		service = json_parse(syncer->arena, buf_string(&answer), answer.len, err);
		if (!service)
			return SYNC_FAILED;
	} else if (status != KUBE_NOT_FOUND) {
		return result_of_get(status);
	}
	return report_service(syncer, target, &found, service, err);
}

static void leave_arena(const struct syncer *syncer, struct arena *before)
{
	arena_enter(before);
	arena_reset(syncer->arena);
}

enum sync_result sync_stamp(const struct syncer *syncer, struct sync_target *target, struct error *err)
{
	struct arena *before = arena_enter(syncer->arena);
	const enum sync_result result = reconcile_stamp(syncer, target, err);

	leave_arena(syncer, before);
	return result;
}

enum sync_result sync_service(const struct syncer *syncer, struct sync_target *target, struct error *err)
{
	struct arena *before = arena_enter(syncer->arena);
	const enum sync_result result = reconcile_service(syncer, target, err);

	leave_arena(syncer, before);
	return result;
}
