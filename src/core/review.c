/* SPDX-License-Identifier: Apache-2.0 */
#include "core/review.h"

#include <string.h>

#include "base/base64.h"
#include "base/json.h"
#include "base/names.h"
#include "base/text.h"
#include "core/admit_pod.h"
#include "core/admit_workload.h"
#include "core/kinds.h"
#include "core/limits.h"
#include "core/request.h"
#include "core/review_members.h"
#include "core/verdict.h"

/* Always 422: 409 makes clients try again, and a reason can cost the event (kubernetes/apiserver, webhook/errors). */
enum { DENIAL_CODE = 422 };

static const char json_type[] = "application/json";
static const char text_type[] = "text/plain; charset=utf-8";

const char *review_decision_name(enum review_decision decision)
{
	switch (decision) {
	case REVIEW_ALLOWED:
		return "allowed";
	case REVIEW_PATCHED:
		return "patched";
	case REVIEW_DENIED:
		return "denied";
	case REVIEW_REFUSED:
		return "refused";
	}
	return "";
}

/* Answers with an HTTP error; text lives as long as the arena, or longer. */
static void refuse(struct review_answer *answer, int status, const char *text)
{
	answer->http_status = status;
	answer->code = status;
	answer->content_type = text_type;
	answer->body = text;
	answer->body_len = strlen(text);
	answer->decision = REVIEW_REFUSED;
	answer->message = text;
}

/* The arena ran out: the review needs more than one may use, or others hold the memory right now. */
static void refuse_for_memory(const struct arena *arena, struct review_answer *answer)
{
	if (arena->state == ARENA_OVER_MAX)
		refuse(answer, 413, "the review needs more memory than one may use\n");
	else
		refuse(answer, 503, "no memory right now: try again\n");
}

static bool is_pod(const struct request *request)
{
	return request->group[0] == '\0' && strcmp(request->resource, "pods") == 0;
}

static void decide(const struct request *request, const struct review_config *config, struct related_list *related,
		   struct verdict *verdict)
{
	const struct workload_kind *kind = kind_of_resource(request->group, request->resource);

	if (request->subresource[0] || !request->object)
		return;
	if (kind && request->operation != OPERATION_OTHER)
		admit_workload(kind, request, config, related, verdict);
	else if (is_pod(request) && request->operation == OPERATION_CREATE)
		admit_pod(request, config, verdict);
}

/* "StatefulSet ml/trainer", as messages start; without a name yet, by its generateName: "Pod ml/fit-*". */
static const char *object_of(struct arena *arena, const struct request *request)
{
	const cJSON *metadata = json_get_object(request->object, "metadata");
	const char *kind = strcmp(request->resource, "pods") == 0 ? "Pod" : "StatefulSet";
	const char *prefix = json_get_string(metadata, "generateName");
	bool unnamed = !request->name[0] && prefix;
	const char *name = unnamed ? prefix : request->name;
	size_t namespace_len = text_clip(request->namespace, strlen(request->namespace), DNS_LABEL_MAX);
	size_t name_len = text_clip(name, strlen(name), DNS_NAME_MAX);

	return arena_printf(arena, "%s %.*s/%.*s%s", kind, (int)namespace_len, request->namespace, (int)name_len, name,
			    unnamed ? "*" : "");
}

static void add_patch(struct arena *arena, const struct verdict *verdict, cJSON *response)
{
	const char *patch = json_print(arena, verdict->patch);
	const char *quoted = patch ? base64_encode_quoted(arena, patch, strlen(patch)) : NULL;

	json_add_string(response, "patchType", "JSONPatch");
	json_add_raw(response, "patch", quoted);
}

static void add_audit(struct arena *arena, const struct verdict *verdict, cJSON *response)
{
	cJSON *audit = cJSON_CreateObject();

	json_add_string(audit, "role", verdict->role);
	json_add_string(audit, "index", arena_printf(arena, "%u", verdict->index));
	json_add_string(audit, "size", arena_printf(arena, "%u", verdict->size));
	json_add(response, "auditAnnotations", audit);
}

static const char *print_answer(struct arena *arena, const struct request *request, const struct verdict *verdict)
{
	cJSON *review = cJSON_CreateObject();
	cJSON *response = cJSON_CreateObject();

	json_add_string(review, "apiVersion", request->api_version);
	json_add_string(review, "kind", "AdmissionReview");
	json_add(review, "response", response);
	json_add_string(response, "uid", request->uid);
	json_add(response, "allowed", cJSON_CreateBool(!verdict->denial));
	if (verdict->denial) {
		cJSON *status = cJSON_CreateObject();

		json_add(status, "code", cJSON_CreateNumber(DENIAL_CODE));
		json_add_string(status, "message", verdict->denial);
		json_add(response, "status", status);
	} else if (verdict->patch) {
		add_patch(arena, verdict, response);
	}
	if (verdict->warnings)
		json_add(response, "warnings", verdict->warnings);
	if (verdict->role && !verdict->denial)
		add_audit(arena, verdict, response);
	return json_print(arena, review);
}

static void describe(const struct request *request, const struct verdict *verdict, struct review_answer *answer)
{
	answer->uid = request->uid;
	answer->namespace = request->namespace;
	answer->resource = request->resource;
	answer->name = request->name;
	answer->operation = request->operation_name;
	answer->decision = verdict->denial ? REVIEW_DENIED : verdict->patch ? REVIEW_PATCHED : REVIEW_ALLOWED;
	answer->code = verdict->denial ? DENIAL_CODE : 200;
	answer->message = verdict->denial ? verdict->denial : "";
	if (verdict->role) {
		answer->role = verdict->role;
		answer->index = (int)verdict->index;
	}
}

/* Answers a parsed review. */
static void answer_request(struct arena *arena, const struct request *request, const struct review_config *config,
			   struct related_list *related, struct review_answer *answer)
{
	struct verdict verdict = {.arena = arena, .object = object_of(arena, request)};
	const char *body;

	if (verdict.object)
		decide(request, config, related, &verdict);
	body = arena->state == ARENA_OK ? print_answer(arena, request, &verdict) : NULL;
	describe(request, &verdict, answer);
	if (!body || arena->state != ARENA_OK) {
		refuse_for_memory(arena, answer);
		return;
	}
	answer->http_status = 200;
	answer->content_type = json_type;
	answer->body = body;
	answer->body_len = strlen(body);
}

static void refuse_input(struct arena *arena, const struct error *err, struct review_answer *answer)
{
	const char *text;

	if (arena->state != ARENA_OK) {
		refuse_for_memory(arena, answer);
		return;
	}
	text = arena_printf(arena, "the body is not an AdmissionReview: %s\n", err->message);
	refuse(answer, 400, text ? text : "the body is not an AdmissionReview\n");
}

static void answer_body(struct arena *arena, const char *body, size_t len, const struct review_config *config,
			struct related_list *related, struct review_answer *ret_answer)
{
	struct review_answer answer = {
		.uid = "",
		.namespace = "",
		.resource = "",
		.name = "",
		.operation = "",
		.role = "",
		.index = -1,
		.message = "",
	};
	struct arena *before = arena_enter(arena);
	struct request request;
	struct error err;
	const cJSON *tree;

	if (len == 0)
		refuse(&answer, 400, "the body is empty: an AdmissionReview is expected\n");
	else if (len > REVIEW_MAX_BODY)
		refuse(&answer, 413, "the body is larger than " REVIEW_MAX_BODY_TEXT "\n");
	else if (!(tree = json_parse_members(arena, body, len, review_members, &err)) ||
		 request_read(tree, &request, &err) < 0)
		refuse_input(arena, &err, &answer);
	else
		answer_request(arena, &request, config, related, &answer);
	arena_enter(before);
	*ret_answer = answer;
}

void review_answer(struct arena *arena, const char *body, size_t len, const struct review_config *config,
		   struct review_answer *ret_answer)
{
	answer_body(arena, body, len, config, NULL, ret_answer);
}

static bool holds_objects(const struct related_list *related)
{
	for (size_t i = 0; i < related->len; i++) {
		if (related->items[i].state == RELATED_FOUND)
			return true;
	}
	return false;
}

void review_answer_with(struct arena *arena, const char *body, size_t len, const struct review_config *config,
			struct related_list *related, struct review_answer *ret_answer)
{
	answer_body(arena, body, len, config, related, ret_answer);
	/* What other objects hold must not cost this one its answer. */
	if (arena->state != ARENA_OK && holds_objects(related)) {
		arena_reset(arena);
		answer_body(arena, body, len, config, NULL, ret_answer);
	}
}
