/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/event.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/rfc3339.h"
#include "base/text.h"

enum {
	ANSWER_MAX = 64 * 1024,
	NAME_SHOWN = 200,   /* bytes of the set's name in the event's name, which may have 253 */
	MESSAGE_MAX = 1024, /* bytes that the API server accepts */
	JUST_NOW = 10 * 60, /* seconds within which a report of another replica is enough */
};

#define COMPONENT "tfconfig-webhook"

/* FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/ */
static uint64_t hash(uint64_t number, const char *text)
{
	for (; *text; text++)
		number = (number ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return (number ^ '\n') * UINT64_C(0x100000001b3);
}

uint64_t event_number(const struct event *event)
{
	const uint64_t number = hash(hash(hash(UINT64_C(0xcbf29ce484222325), event->uid), event->reason),
				     event->key ? event->key : event->message);

	return number ? number : 1;
}

static cJSON *involved_object(const struct event *event)
{
	cJSON *object = cJSON_CreateObject();

	json_add_string(object, "apiVersion", "apps/v1");
	json_add_string(object, "kind", "StatefulSet");
	json_add_string(object, "namespace", event->namespace);
	json_add_string(object, "name", event->name);
	json_add_string(object, "uid", event->uid);
	return object;
}

/* NULL if there is no memory. */
static const char *write_event(struct arena *arena, const struct event *event, const char *name, const char *now)
{
	const size_t len = text_clip(event->message, strlen(event->message), MESSAGE_MAX);
	cJSON *object = cJSON_CreateObject();
	cJSON *metadata = cJSON_CreateObject();
	cJSON *source = cJSON_CreateObject();

	json_add_string(object, "apiVersion", "v1");
	json_add_string(object, "kind", "Event");
	json_add(object, "metadata", metadata);
	json_add_string(metadata, "namespace", event->namespace);
	json_add_string(metadata, "name", name);
	json_add(object, "involvedObject", involved_object(event));
	json_add_string(object, "type", event->warning ? "Warning" : "Normal");
	json_add_string(object, "reason", event->reason);
	json_add_string(object, "message", arena_strndup(arena, event->message, len));
	json_add(object, "source", source);
	json_add_string(source, "component", COMPONENT);
	json_add_string(object, "reportingComponent", COMPONENT);
	json_add_string(object, "reportingInstance", COMPONENT);
	json_add_string(object, "firstTimestamp", now);
	json_add_string(object, "lastTimestamp", now);
	json_add(object, "count", cJSON_CreateNumber(1));
	return json_print(arena, object);
}

static const char *write_count(struct arena *arena, const cJSON *found, const char *now)
{
	const char *version = json_get_string(json_get_object(found, "metadata"), "resourceVersion");
	cJSON *patch = cJSON_CreateObject();
	cJSON *metadata = cJSON_CreateObject();
	unsigned count;

	if (!json_get_unsigned(found, "count", 1, INT_MAX - 1, &count))
		count = 1;
	json_add(patch, "metadata", metadata);
	json_add_string(metadata, "resourceVersion", version);
	json_add_string(patch, "lastTimestamp", now);
	json_add(patch, "count", cJSON_CreateNumber(count + 1));
	return json_print(arena, patch);
}

/* One event on its way. */
struct report {
	struct kube_client *client;
	struct arena *arena;
	const struct event *event;
	time_t now;
	struct buf answer;
};

static enum kube_status send(struct report *report, const struct kube_request *request, struct error *err)
{
	return kube_client_send(report->client, request, &report->answer, err);
}

/* Raises the count of the existing event, unless another replica has just reported the same. */
static enum kube_status count_again(struct report *report, const char *path, struct error *err)
{
	struct kube_request request = {.method = "GET", .path = path};
	enum kube_status status = send(report, &request, err);
	char now[RFC3339_SIZE];
	const cJSON *found;
	time_t last;

	if (status != KUBE_OK)
		return status;
	found = json_parse(report->arena, buf_string(&report->answer), report->answer.len, err);
	if (!found)
		return KUBE_UNAVAILABLE;
	if (!report->event->by_one && rfc3339_read(json_get_string(found, "lastTimestamp"), &last) &&
	    last > report->now - JUST_NOW)
		return KUBE_OK;
	rfc3339_write(report->now, now);
	request = (struct kube_request){.method = "PATCH",
					.path = path,
					.content_type = KUBE_MERGE_PATCH,
					.body = write_count(report->arena, found, now)};
	if (!request.body)
		return KUBE_UNAVAILABLE;
	status = send(report, &request, err);
	return status == KUBE_CONFLICT ? KUBE_OK : status;
}

static enum kube_status post(struct report *report, struct error *err)
{
	const struct event *event = report->event;
	const char *folder = arena_printf(report->arena, "/api/v1/namespaces/%s/events", event->namespace);
	const char *name =
		arena_printf(report->arena, "%.*s.%016" PRIx64, NAME_SHOWN, event->name, event_number(event));
	struct kube_request request = {.method = "POST", .path = folder, .content_type = "application/json"};
	char now[RFC3339_SIZE];
	enum kube_status status;

	rfc3339_write(report->now, now);
	request.body = name ? write_event(report->arena, event, name, now) : NULL;
	if (!request.body) {
		error_set(err, ERROR_NO_MEMORY, "no memory for an event");
		return KUBE_UNAVAILABLE;
	}
	status = send(report, &request, err);
	if (status != KUBE_CONFLICT)
		return status;
	return count_again(report, arena_printf(report->arena, "%s/%s", folder, name), err);
}

enum kube_status event_report(struct kube_client *client, struct arena *arena, const struct event *event,
			      struct error *err)
{
	struct report report = {.client = client, .arena = arena, .event = event, .now = time(NULL)};
	struct arena *before = arena_enter(arena);
	enum kube_status status;

	buf_init(&report.answer, ANSWER_MAX);
	status = post(&report, err);
	buf_release(&report.answer);
	arena_enter(before);
	arena_reset(arena);
	return status;
}
