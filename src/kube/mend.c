#include "kube/mend.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "core/buf.h"
#include "core/json.h"
#include "core/messages.h"
#include "core/service_advice.h"
#include "core/statefulset.h"
#include "kube/event.h"

enum { ANSWER_MAX = 2 * 1024 * 1024, PATH_SIZE = 1024, TIME_SIZE = 32, EVENT_ARENA = 32 * 1024 };

#define MERGE_TYPE   "application/merge-patch+json"
#define RESTARTED_AT "kubectl.kubernetes.io/restartedAt"

/* The set as the API server has it, and what stage 1 makes of it. */
struct found {
	const cJSON *object;
	const char *uid, *version;
	struct stamp_check check;
};

static enum mend_result result_of(enum kube_status status)
{
	switch (status) {
	case KUBE_OK:
	case KUBE_NOT_FOUND:
		return MEND_NOTHING;
	case KUBE_CONFLICT:
		return MEND_AGAIN;
	case KUBE_FORBIDDEN:
		return MEND_FORBIDDEN;
	case KUBE_GONE:
	case KUBE_TOO_LARGE:
	case KUBE_REFUSED:
	case KUBE_UNAVAILABLE:
		return MEND_FAILED;
	}
	return MEND_FAILED;
}

static int set_path(char path[PATH_SIZE], const struct mend_target *target)
{
	return snprintf(path, PATH_SIZE, "/apis/apps/v1/namespaces/%s/statefulsets/%s", target->namespace,
			target->name);
}

/* -1 where it is no StatefulSet, or too large. Everything lives in the arena. */
static int read_set(const struct mender *mender, const struct buf *answer, struct found *found, struct error *err)
{
	const cJSON *metadata;

	found->object = json_parse(mender->arena, buf_string(answer), answer->len, err);
	if (!found->object)
		return -1;
	metadata = json_get_object(found->object, "metadata");
	found->uid = json_get_string(metadata, "uid");
	found->version = json_get_string(metadata, "resourceVersion");
	if (!found->uid || !found->version)
		return error_set(err, ERROR_INVALID, "a StatefulSet has no uid or no resourceVersion");
	statefulset_check_stamp(found->object, mender->review, mender->arena, &found->check);
	if (mender->arena->state != ARENA_OK)
		return error_set(err, ERROR_NO_MEMORY, "a StatefulSet needs more memory than there is for one");
	return 0;
}

static enum kube_status get_set(const struct mender *mender, const struct mend_target *target, struct buf *answer,
				struct found *found, struct error *err)
{
	char path[PATH_SIZE];
	const struct kube_request request = {.method = "GET", .path = path};
	enum kube_status status;

	set_path(path, target);
	status = kube_client_send(mender->client, &request, answer, err);
	if (status != KUBE_OK)
		return status;
	return read_set(mender, answer, found, err) < 0 ? KUBE_REFUSED : KUBE_OK;
}

/* Tells it, unless it was the last that was told. */
static enum mend_result tell(const struct mender *mender, struct mend_target *target, const struct event *event,
			     struct error *err)
{
	char memory[EVENT_ARENA];
	struct arena arena;
	enum kube_status status;

	if (target->told == event_number(event))
		return MEND_TOLD;
	arena_init_fixed(&arena, memory, sizeof(memory));
	status = event_tell(mender->client, &arena, event, err);
	if (status != KUBE_OK && status != KUBE_NOT_FOUND)
		return result_of(status);
	target->told = event_number(event);
	return MEND_TOLD;
}

static enum mend_result tell_stale(const struct mender *mender, struct mend_target *target, const struct found *found,
				   const char *message, struct error *err)
{
	const struct event event = {.namespace = target->namespace,
				    .name = target->name,
				    .uid = found->uid,
				    .warning = true,
				    .reason = "GroupStale",
				    .message = message ? message : ""};

	return tell(mender, target, &event, err);
}

/* A time as Kubernetes writes it, to the second. */
static void write_now(char text[TIME_SIZE])
{
	const time_t now = time(NULL);
	struct tm parts;

	gmtime_r(&now, &parts);
	strftime(text, TIME_SIZE, "%Y-%m-%dT%H:%M:%SZ", &parts);
}

/* The same time again would change nothing. */
static bool was_restarted_at(const struct found *found, const char *time)
{
	const struct set set = set_of(found->object);
	const char *before = json_get_string(set.annotations, RESTARTED_AT);

	return before && strcmp(before, time) == 0;
}

/* As `kubectl rollout restart` patches it, and for this version alone. */
static enum kube_status restart(const struct mender *mender, const struct mend_target *target,
				const struct found *found, const char *time, bool dry_run, struct buf *answer,
				struct error *err)
{
	struct buf body CLEANUP(buf_release) = {0};
	char path[PATH_SIZE + 64];
	struct kube_request request = {.method = "PATCH", .path = path, .content_type = MERGE_TYPE};
	const int len = set_path(path, target);

	snprintf(path + len, sizeof(path) - (size_t)len, "?fieldManager=tfconfig-webhook%s",
		 dry_run ? "&dryRun=All" : "");
	buf_init(&body, 4096);
	buf_addf(&body,
		 "{\"metadata\":{\"resourceVersion\":\"%s\"},\"spec\":{\"template\":{\"metadata\":{\"annotations\":"
		 "{\"" RESTARTED_AT "\":\"%s\"}}}}}",
		 found->version, time);
	request.body = buf_string(&body);
	return kube_client_send(mender->client, &request, answer, err);
}

/* Whether the set that the API server answered with carries the group that it should. */
static bool is_mended(const struct mender *mender, const struct buf *answer, struct error *err)
{
	struct found found;

	return read_set(mender, answer, &found, err) == 0 && found.check.state == STAMP_CURRENT;
}

static enum mend_result tell_not_restarted(const struct mender *mender, struct mend_target *target,
					   const struct found *found, const struct error *why, struct error *err)
{
	return tell_stale(
		mender, target, found,
		arena_printf(mender->arena, EVENT_NOT_RESTARTED, found->check.was, found->check.size, why->message),
		err);
}

static enum mend_result tell_resized(const struct mender *mender, struct mend_target *target, const struct found *found,
				     struct error *err)
{
	const char *message = found->check.was
				      ? arena_printf(mender->arena, EVENT_RESIZED, found->check.size, found->check.was)
				      : arena_printf(mender->arena, EVENT_FIRST_GROUP, found->check.size);
	const struct event event = {.namespace = target->namespace,
				    .name = target->name,
				    .uid = found->uid,
				    .reason = "GroupResized",
				    .message = message ? message : ""};

	target->was = found->check.was;
	target->size = found->check.size;
	target->told = 0;
	/* The set is restarted, whether that can be told or not. */
	(void)tell(mender, target, &event, err);
	target->told = 0;
	return MEND_RESTARTED;
}

/* Restarts the set where a dry run has shown that this would mend it. */
static enum mend_result restart_set(const struct mender *mender, struct mend_target *target, const struct found *found,
				    struct error *err)
{
	struct buf answer CLEANUP(buf_release) = {0};
	enum kube_status status;
	char time[TIME_SIZE];
	struct error why;

	write_now(time);
	if (was_restarted_at(found, time))
		return MEND_AGAIN;
	buf_init(&answer, ANSWER_MAX);
	status = restart(mender, target, found, time, true, &answer, &why);
	/* Who refuses a dry run, be it a webhook with a 403, refuses the restart. */
	if (status == KUBE_REFUSED || status == KUBE_FORBIDDEN)
		return tell_not_restarted(mender, target, found, &why, err);
	if (status == KUBE_OK && !is_mended(mender, &answer, &why))
		return tell_stale(mender, target, found, EVENT_NOT_REVIEWED, err);
	if (status == KUBE_OK)
		status = restart(mender, target, found, time, false, &answer, &why);
	if (status == KUBE_OK)
		return tell_resized(mender, target, found, err);
	*err = why;
	return result_of(status);
}

static const char *stale_message(const struct mender *mender, const struct mend_target *target,
				 const struct stamp_check *check)
{
	if (check->state == STAMP_DENIED)
		return check->denial;
	if (check->was == 0)
		return arena_printf(mender->arena, EVENT_NO_GROUP, target->namespace, target->name);
	return arena_printf(mender->arena, EVENT_STALE, check->was, check->size, target->namespace, target->name);
}

static enum mend_result see_to_stamp(const struct mender *mender, struct mend_target *target, struct error *err)
{
	struct buf answer CLEANUP(buf_release) = {0};
	struct found found;
	enum kube_status status;

	buf_init(&answer, ANSWER_MAX);
	status = get_set(mender, target, &answer, &found, err);
	if (status != KUBE_OK)
		return result_of(status);
	switch (found.check.state) {
	case STAMP_NONE:
	case STAMP_CURRENT:
		target->told = 0;
		return MEND_NOTHING;
	case STAMP_STALE:
		if (found.check.restarts)
			return restart_set(mender, target, &found, err);
		break;
	case STAMP_DENIED:
		break;
	}
	return tell_stale(mender, target, &found, stale_message(mender, target, &found.check), err);
}

/* What is wrong with the Service, as warnings of stage 1 say it. */
static enum mend_result tell_of_service(const struct mender *mender, struct mend_target *target,
					const struct found *found, const cJSON *service, struct error *err)
{
	const struct set set = set_of(found->object);
	struct verdict verdict = {.arena = mender->arena, .object = ""};
	struct event event = {.namespace = target->namespace, .name = target->name, .uid = found->uid, .warning = true};

	service_advise(&set, found->check.service, service, &verdict);
	event.message = verdict.warnings ? cJSON_GetStringValue(verdict.warnings->child) : NULL;
	if (!event.message) {
		target->told = 0;
		return MEND_NOTHING;
	}
	event.reason = service ? "ServiceNotReady" : "ServiceMissing";
	return tell(mender, target, &event, err);
}

static enum mend_result see_to_service(const struct mender *mender, struct mend_target *target, struct error *err)
{
	struct buf set_answer CLEANUP(buf_release) = {0};
	struct buf answer CLEANUP(buf_release) = {0};
	char path[PATH_SIZE];
	const struct kube_request request = {.method = "GET", .path = path};
	struct found found;
	const cJSON *service = NULL;
	enum kube_status status;

	buf_init(&set_answer, ANSWER_MAX);
	buf_init(&answer, ANSWER_MAX);
	status = get_set(mender, target, &set_answer, &found, err);
	if (status != KUBE_OK)
		return result_of(status);
	if (found.check.state == STAMP_NONE || found.check.size == 0 || !found.check.service)
		return MEND_NOTHING;
	snprintf(path, sizeof(path), "/api/v1/namespaces/%s/services/%s", target->namespace, found.check.service);
	status = kube_client_send(mender->client, &request, &answer, err);
	if (status == KUBE_OK) {
		service = json_parse(mender->arena, buf_string(&answer), answer.len, err);
		if (!service)
			return MEND_FAILED;
	} else if (status != KUBE_NOT_FOUND) {
		return result_of(status);
	}
	return tell_of_service(mender, target, &found, service, err);
}

enum mend_result mend_stamp(const struct mender *mender, struct mend_target *target, struct error *err)
{
	struct arena *before = arena_enter(mender->arena);
	const enum mend_result result = see_to_stamp(mender, target, err);

	arena_enter(before);
	arena_reset(mender->arena);
	return result;
}

enum mend_result mend_service(const struct mender *mender, struct mend_target *target, struct error *err)
{
	struct arena *before = arena_enter(mender->arena);
	const enum mend_result result = see_to_service(mender, target, err);

	arena_enter(before);
	arena_reset(mender->arena);
	return result;
}
