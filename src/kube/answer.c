/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/answer.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"

enum {
	PATH_SHOWN = 200, /* bytes */
	MESSAGE_SHOWN = 250,
	BASE64_SHOWN = 63, /* a line of PEM has 64 characters, and a key in a Secret far more */
};

static bool is_base64(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '/' ||
	       c == '=';
}

/* Replaces long words of base64, in place. */
static void hide_base64(char *text)
{
	char *out = text;

	while (*text) {
		size_t len = 0;

		while (is_base64(text[len]))
			len++;
		if (len > BASE64_SHOWN) {
			memcpy(out, "...", 3);
			out += 3;
		} else {
			len += len == 0;
			memmove(out, text, len);
			out += len;
		}
		text += len;
	}
	*out = '\0';
}

static const cJSON *parse(struct arena *arena, const struct buf *body)
{
	struct arena *before;
	const cJSON *tree;

	arena_reset(arena);
	before = arena_enter(arena);
	tree = json_parse(arena, buf_string(body), body->len, NULL);
	arena_enter(before);
	return tree;
}

/* Whether a Status blames fields of the object: that of a JSON patch that does not apply has no causes. */
static bool has_causes(const cJSON *status)
{
	return json_get_array(json_get_object(status, "details"), "causes") != NULL;
}

static const char *message_of(struct arena *arena, const cJSON *status)
{
	const char *message = json_get_string(status, "message");
	char *shown = message ? arena_strndup(arena, message, strlen(message)) : NULL;

	if (!shown)
		return "";
	text_clean(shown);
	hide_base64(shown);
	shown[text_clip(shown, strlen(shown), MESSAGE_SHOWN)] = '\0';
	return shown;
}

const char *answer_message(struct arena *arena, const struct buf *body)
{
	const cJSON *tree = parse(arena, body);
	const cJSON *object = json_get_object(tree, "object");

	return message_of(arena, object ? object : tree);
}

int answer_failed(const struct kube_request *request, enum error_code code, const char *text, struct error *err)
{
	const size_t len = strcspn(request->path, "?");

	return error_set(err, code, "%s %.*s%s: %s", request->method, (int)text_clip(request->path, len, PATH_SHOWN),
			 request->path, len > PATH_SHOWN ? "..." : "", text);
}

static bool is_json_patch(const struct kube_request *request)
{
	return request->content_type && strcmp(request->content_type, "application/json-patch+json") == 0;
}

/* Not every 404 comes from an API server: a load balancer answers it too, for any path. */
static bool says_not_found(const cJSON *status)
{
	const char *reason = json_get_string(status, "reason");

	return reason && strcmp(reason, "NotFound") == 0;
}

static enum kube_status status_of(const struct kube_request *request, long code, const cJSON *status)
{
	if (code == 404)
		return says_not_found(status) ? KUBE_NOT_FOUND : KUBE_UNAVAILABLE;
	if (code == 409 || (code == 422 && is_json_patch(request) && !has_causes(status)))
		return KUBE_CONFLICT;
	if (code == 401 || code == 403)
		return KUBE_FORBIDDEN;
	if (code == 410)
		return KUBE_GONE;
	if (code == 408 || code == 429 || code >= 500)
		return KUBE_UNAVAILABLE;
	return KUBE_REFUSED;
}

enum kube_status answer_classify(struct arena *arena, const struct kube_request *request, long code,
				 const struct buf *body, struct error *err)
{
	char text[MESSAGE_SHOWN + 32];
	const cJSON *status;
	const char *message;

	if (code >= 200 && code <= 299)
		return KUBE_OK;
	status = parse(arena, body);
	message = message_of(arena, status);
	snprintf(text, sizeof(text), "HTTP %ld%s%s", code, message[0] ? ": " : "", message);
	answer_failed(request, ERROR_INVALID, text, err);
	return status_of(request, code, status);
}
