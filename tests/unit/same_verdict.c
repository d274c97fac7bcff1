/* SPDX-License-Identifier: Apache-2.0 */
#include "same_verdict.h"

#include <string.h>

#include "base/json.h"
#include "core/admit_pod.h"
#include "core/admit_workload.h"
#include "core/request.h"
#include "core/review_members.h"
#include "core/statefulset.h"

static const struct review_config config = {.cluster_domain = "cluster.local", .wait_image = "tfconfig-webhook:1"};

/* All that one tree comes to, as text. */
struct outcome {
	bool is_review;
	struct error err;
	const char *texts[20];
	size_t len;
};

static void add_text(struct outcome *outcome, const char *text)
{
	outcome->texts[outcome->len++] = text ? text : "";
}

static void add_verdict(struct outcome *outcome, const struct verdict *verdict)
{
	add_text(outcome, verdict->denial);
	add_text(outcome, cJSON_PrintUnformatted(verdict->patch));
	add_text(outcome, cJSON_PrintUnformatted(verdict->warnings));
}

/* As if the cluster held all that was asked for. */
static void find_all(struct related_list *related)
{
	static const char service[] = "{\"kind\":\"Service\",\"spec\":{\"selector\":{\"app\":\"trainer\"}}}";

	for (size_t i = 0; i < related->len; i++) {
		related->items[i].state = RELATED_FOUND;
		related->items[i].json = service;
		related->items[i].json_len = strlen(service);
	}
}

/* Every rule, whatever the object is. */
static void judge(struct arena *arena, const cJSON *tree, struct outcome *outcome)
{
	struct related_list related = {.items = NULL};
	struct verdict verdicts[3];
	struct request request;

	outcome->is_review = request_read(tree, &request, &outcome->err) == 0;
	if (!outcome->is_review)
		return;
	for (size_t i = 0; i < 3; i++)
		verdicts[i] = (struct verdict){.arena = arena, .object = "it"};
	admit_pod(&request, &config, &verdicts[0]);
	admit_workload(&statefulset_kind, &request, &config, &related, &verdicts[1]);
	find_all(&related);
	admit_workload(&statefulset_kind, &request, &config, &related, &verdicts[2]);
	for (size_t i = 0; i < 3; i++)
		add_verdict(outcome, &verdicts[i]);
	add_text(outcome, request.api_version);
	add_text(outcome, request.uid);
	add_text(outcome, request.namespace);
	add_text(outcome, request.name);
	add_text(outcome, request.group);
	add_text(outcome, request.resource);
	add_text(outcome, request.subresource);
	add_text(outcome, request.operation_name);
	add_text(outcome, json_get_string(json_get_object(request.object, "metadata"), "generateName"));
}

static bool outcomes_equal(const struct outcome *a, const struct outcome *b)
{
	if (a->is_review != b->is_review || a->len != b->len)
		return false;
	if (!a->is_review)
		return strcmp(a->err.message, b->err.message) == 0;
	for (size_t i = 0; i < a->len; i++) {
		if (strcmp(a->texts[i], b->texts[i]) != 0)
			return false;
	}
	return true;
}

bool same_verdict(struct arena *arena, const char *text, size_t len)
{
	struct outcome whole = {.len = 0};
	struct outcome pruned = {.len = 0};
	struct error errors[2];
	const cJSON *all = json_parse(arena, text, len, &errors[0]);
	const cJSON *members = json_parse_members(arena, text, len, review_members, &errors[1]);

	if (all && members) {
		judge(arena, all, &whole);
		judge(arena, members, &pruned);
	}
	if (arena->state != ARENA_OK)
		return true;
	if (!all || !members)
		return !all && !members && strcmp(errors[0].message, errors[1].message) == 0;
	return outcomes_equal(&whole, &pruned);
}
