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
	NAME_SHOWN = 200,   /* bytes of the set's name in the event's, which may have 253 */
	MESSAGE_MAX = 1024, /* that the API server takes */
	JUST_NOW = 10 * 60, /* seconds within which another replica has said the same */
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

/* NULL where memory ends. */
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

/* One more of those that are there, unless another replica has just told this one. */
static enum kube_status count_again(struct kube_client *client, struct arena *arena, const struct event *event,
				    const char *path, time_t now, struct buf *answer, struct error *err)
{
	struct kube_request request = {.method = "GET", .path = path};
	enum kube_status status = kube_client_send(client, &request, answer, err);
	char text[RFC3339_SIZE];
	const cJSON *found;
	time_t last;

	if (status != KUBE_OK)
		return status;
	found = json_parse(arena, buf_string(answer), answer->len, err);
	if (!found)
		return KUBE_UNAVAILABLE;
	if (!event->by_one && rfc3339_read(json_get_string(found, "lastTimestamp"), &last) && last > now - JUST_NOW)
		return KUBE_OK;
	rfc3339_write(now, text);
	request = (struct kube_request){.method = "PATCH",
					.path = path,
					.content_type = KUBE_MERGE_PATCH,
					.body = write_count(arena, found, text)};
	if (!request.body)
		return KUBE_UNAVAILABLE;
	status = kube_client_send(client, &request, answer, err);
	return status == KUBE_CONFLICT ? KUBE_OK : status;
}

static enum kube_status tell(struct kube_client *client, struct arena *arena, const struct event *event,
			     struct buf *answer, struct error *err)
{
	const char *folder = arena_printf(arena, "/api/v1/namespaces/%s/events", event->namespace);
	const char *name = arena_printf(arena, "%.*s.%016" PRIx64, NAME_SHOWN, event->name, event_number(event));
	struct kube_request request = {.method = "POST", .path = folder, .content_type = "application/json"};
	const time_t now = time(NULL);
	char text[RFC3339_SIZE];
	enum kube_status status;

	rfc3339_write(now, text);
	request.body = name ? write_event(arena, event, name, text) : NULL;
	if (!request.body) {
		error_set(err, ERROR_NO_MEMORY, "no memory for an event");
		return KUBE_UNAVAILABLE;
	}
	status = kube_client_send(client, &request, answer, err);
	if (status != KUBE_CONFLICT)
		return status;
	return count_again(client, arena, event, arena_printf(arena, "%s/%s", folder, name), now, answer, err);
}

enum kube_status event_tell(struct kube_client *client, struct arena *arena, const struct event *event,
			    struct error *err)
{
	CLEANUP(buf_release) struct buf answer = {0};
	struct arena *before = arena_enter(arena);
	enum kube_status status;

	buf_init(&answer, ANSWER_MAX);
	status = tell(client, arena, event, &answer, err);
	arena_enter(before);
	arena_reset(arena);
	return status;
}
