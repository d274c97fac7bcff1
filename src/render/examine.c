/* SPDX-License-Identifier: Apache-2.0 */
#include "render/examine.h"

#include <string.h>

#include "base/base64.h"
#include "base/json.h"
#include "core/limits.h"
#include "core/messages.h"
#include "render/apply.h"

enum { FIRST_BLOCK = 64 * 1024 };

/* What `serve` gives one review by default, so that an object which is too large there is too large here. */
static const size_t examination_max = REVIEW_ARENA_MAX(REVIEW_DEFAULT_MEMORY);

int examiner_init(struct examiner *examiner, struct budget *budget, struct error *err)
{
	*examiner = (struct examiner){.question = {0}};
	if (arena_init(&examiner->question, FIRST_BLOCK, examination_max, budget) < 0 ||
	    arena_init(&examiner->answer, FIRST_BLOCK, examination_max, budget) < 0)
		return error_set(err, ERROR_NO_MEMORY, MESSAGE_NO_MEMORY);
	return 0;
}

void examiner_release(struct examiner *examiner)
{
	arena_release(&examiner->question);
	arena_release(&examiner->answer);
}

void examiner_reset(struct examiner *examiner)
{
	arena_reset(&examiner->question);
	arena_reset(&examiner->answer);
}

static bool is_pod(const cJSON *object)
{
	const char *kind = json_get_string(object, "kind");

	return kind && strcmp(kind, "Pod") == 0;
}

/* The AdmissionReview of the object's creation, as text. NULL if memory runs out. */
static const char *write_question(struct arena *arena, const char *namespace, cJSON *object)
{
	cJSON *review = cJSON_CreateObject();
	cJSON *request = cJSON_CreateObject();
	cJSON *resource = cJSON_CreateObject();
	bool pod = is_pod(object);
	const char *text;

	json_add_string(review, "apiVersion", "admission.k8s.io/v1");
	json_add_string(review, "kind", "AdmissionReview");
	json_add(review, "request", request);
	json_add_string(request, "uid", "render");
	json_add(request, "resource", resource);
	json_add_string(resource, "group", pod ? "" : "apps");
	json_add_string(resource, "version", "v1");
	json_add_string(resource, "resource", pod ? "pods" : "statefulsets");
	json_add_string(request, "namespace", namespace);
	json_add_string(request, "operation", "CREATE");
	json_add(request, "object", object);
	text = json_print(arena, review);
	cJSON_DetachItemViaPointer(request, object);
	return text;
}

/* Reads the core's answer and applies its patch. Returns -1 if memory runs out. */
static int read_answer(struct arena *arena, const struct review_answer *answer, cJSON *object,
		       struct examination *examination)
{
	const cJSON *response = json_get_object(json_parse(arena, answer->body, answer->body_len, NULL), "response");
	const char *encoded = json_get_string(response, "patch");
	const char *text;
	size_t len;

	examination->object = object;
	examination->denial = answer->decision == REVIEW_DENIED ? answer->message : NULL;
	examination->warnings = json_get_array(response, "warnings");
	examination->role = answer->role;
	examination->index = answer->index > 0 ? (unsigned)answer->index : 0;
	if (!encoded)
		return response ? 0 : -1;
	text = base64_decode(arena, encoded, &len);
	examination->patch = text ? json_parse(arena, text, len, NULL) : NULL;
	if (!examination->patch || apply_patch(object, examination->patch) < 0)
		return -1;
	return arena->state == ARENA_OK ? 0 : -1;
}

int examine(struct examiner *examiner, const struct review_config *config, const char *namespace, cJSON *object,
	    struct examination *ret_examination, struct error *err)
{
	struct examination examination = {.denial = NULL};
	struct review_answer answer;
	struct arena *before = arena_enter(&examiner->question);
	const char *question = write_question(&examiner->question, namespace, object);
	int result = -1;

	if (question) {
		review_answer(&examiner->answer, question, strlen(question), config, &answer);
		if (answer.decision == REVIEW_REFUSED) {
			arena_enter(before);
			return error_set(err, ERROR_INVALID, "%.*s", (int)strcspn(answer.message, "\n"),
					 answer.message);
		}
		arena_enter(&examiner->answer);
		result = read_answer(&examiner->answer, &answer, object, &examination);
	}
	arena_enter(before);
	if (result < 0)
		return error_set(err, ERROR_NO_MEMORY, "it needs more memory than one review may use");
	*ret_examination = examination;
	return 0;
}
