#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "core/review.h"
#include "suites.h"
#include "unit.h"

static const struct review_config config = {.cluster_domain = "cluster.local"};

/* Reads a file of tests/data; the tests run at the project's root. The caller frees. */
static char *read_data(const char *name, size_t *ret_len)
{
	char path[200];
	char *text = NULL;
	FILE *file;
	long len;

	snprintf(path, sizeof(path), "tests/data/recorded/%s", name);
	file = fopen(path, "rb");
	CHECK_ROW(file != NULL, path);
	if (!file)
		return NULL;
	if (fseek(file, 0, SEEK_END) == 0 && (len = ftell(file)) >= 0 && fseek(file, 0, SEEK_SET) == 0) {
		text = calloc(1, (size_t)len + 1);
		*ret_len = text ? fread(text, 1, (size_t)len, file) : 0;
	}
	fclose(file);
	return text;
}

static void a_review_cut_at_any_byte_gets_one_clear_answer(void)
{
	static const char *const names[] = {"statefulset-create.json", "pod-create-ordinal-5.json"};
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);

	arena_enter(NULL);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		size_t len = 0;
		char *text = read_data(names[i], &len);

		for (size_t cut = 0; text && cut < len - 1; cut++) {
			/* A copy of exactly this size, so that a sanitizer sees a read past its end. */
			char *body = malloc(cut + 1);
			struct review_answer answer;

			if (!body)
				break;
			memcpy(body, text, cut);
			body[cut] = '\0';
			review_answer(arena, body, cut, &config, &answer);
			CHECK_ROW(answer.http_status == 400 && answer.decision == REVIEW_REFUSED && answer.body_len > 0,
				  names[i]);
			free(body);
			arena_reset(arena);
		}
		free(text);
	}
	unit_arena_end(&unit);
}

static void what_is_no_review_gets_400(void)
{
	static const struct {
		const char *body;
		const char *message;
	} rows[] = {
		{"", "the body is empty"},
		{"\n", "the body is no AdmissionReview: it is not JSON"},
		{"null", "the body is no AdmissionReview: its kind"},
		{"[]", "the body is no AdmissionReview: its kind"},
		{"{}", "the body is no AdmissionReview: its kind"},
		{"{\"kind\":\"AdmissionReview\"}", "the body is no AdmissionReview: its apiVersion"},
		{"{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v2\",\"request\":{\"uid\":\"u\"}}",
		 "the body is no AdmissionReview: its apiVersion"},
		{"{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\"}",
		 "the body is no AdmissionReview: it has no request"},
		{"{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"request\":null}",
		 "the body is no AdmissionReview: it has no request"},
		{"{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"request\":{}}",
		 "the body is no AdmissionReview: its request has no uid"},
		{"{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"Request\":{\"uid\":\"u\"}}",
		 "the body is no AdmissionReview: it has no request"},
	};
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);

	arena_enter(NULL);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct review_answer answer;

		review_answer(arena, rows[i].body, strlen(rows[i].body), &config, &answer);
		CHECK_ROW(answer.http_status == 400, rows[i].body);
		CHECK_ROW(strncmp(answer.body, rows[i].message, strlen(rows[i].message)) == 0, answer.body);
		arena_reset(arena);
	}
	unit_arena_end(&unit);
}

/* Fills text with a pattern again and again. */
static void fill(char *text, size_t len, const char *pattern)
{
	size_t size = strlen(pattern);

	for (size_t i = 0; i < len; i++)
		text[i] = pattern[i % size];
	text[len] = '\0';
}

static void hostile_bodies_end_within_the_memory_of_one_review(void)
{
	static const struct {
		const char *pattern;
		int status;
	} rows[] = {
		{"[", 400}, {"[0,0,", 400}, {"{\"a\":", 400}, {"\"", 400}, {"0,", 400}, {"\\", 400}, {" ", 400},
	};
	const size_t len = REVIEW_MAX_BODY;
	char *text = malloc(len + 1);
	struct budget budget;
	struct arena arena;

	budget_init(&budget, 48 * 1024 * 1024);
	CU_ASSERT(arena_init(&arena, 65536, 24 * 1024 * 1024, &budget) == 0);
	for (size_t i = 0; text && i < ARRAY_LEN(rows); i++) {
		struct review_answer answer;

		fill(text, len, rows[i].pattern);
		review_answer(&arena, text, len, &config, &answer);
		CHECK_ROW(answer.http_status == rows[i].status, rows[i].pattern);
		CU_ASSERT(budget_used(&budget) <= 24 * 1024 * 1024);
		arena_reset(&arena);
		CU_ASSERT(budget_used(&budget) == 65536);
		/* As an array it is sound JSON, and grows forty-fold in the parser. */
		text[0] = '[';
		fill(text + 1, len - 3, "0,");
		memcpy(text + len - 3, "0]", 3);
		review_answer(&arena, text, len - 1, &config, &answer);
		CU_ASSERT(answer.http_status == 413);
		arena_reset(&arena);
	}
	arena_release(&arena);
	free(text);
}

static void a_budget_that_others_hold_gives_503(void)
{
	size_t len = 0;
	char *text = read_data("statefulset-update-restart.json", &len);
	struct review_answer answer;
	struct budget budget;
	struct arena arena;

	budget_init(&budget, 2 * 1024 * 1024);
	CU_ASSERT(arena_init(&arena, 4096, 2 * 1024 * 1024, &budget) == 0);
	CU_ASSERT(budget_take(&budget, 2 * 1024 * 1024 - 4096));
	if (text)
		review_answer(&arena, text, len, &config, &answer);
	CU_ASSERT(text && answer.http_status == 503 && answer.decision == REVIEW_REFUSED);
	budget_give(&budget, 2 * 1024 * 1024 - 4096);
	arena_reset(&arena);
	if (text)
		review_answer(&arena, text, len, &config, &answer);
	CU_ASSERT(text && answer.http_status == 200 && answer.decision == REVIEW_PATCHED);
	arena_release(&arena);
	free(text);
}

/* Every allocation of a review fails once: each time there is an answer, and never half of one. */
static void a_review_that_runs_out_of_memory_anywhere_is_refused_as_a_whole(void)
{
	size_t len = 0;
	char *text = read_data("statefulset-update-annotate.json", &len);
	char *memory = malloc(400000);
	int answered = 0;

	for (size_t size = 100; text && memory && size < 400000; size += 199) {
		struct review_answer answer;
		struct arena arena;

		arena_init_fixed(&arena, memory, size);
		review_answer(&arena, text, len, &config, &answer);
		if (answer.http_status == 413)
			continue;
		CU_ASSERT(answer.http_status == 200 && answer.decision == REVIEW_PATCHED);
		answered++;
	}
	CU_ASSERT(answered > 0);
	free(memory);
	free(text);
}

static void the_answer_tells_what_logs_and_metrics_need(void)
{
	size_t len = 0;
	char *text = read_data("pod-create-ordinal-5.json", &len);
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);
	struct review_answer answer = {0};

	if (text)
		review_answer(arena, text, len, &config, &answer);
	CHECK_STRING(answer.uid, "2597c287-f5d8-41f2-96d3-20a7596b7554");
	CHECK_STRING(answer.namespace, "ml");
	CHECK_STRING(answer.resource, "pods");
	CHECK_STRING(answer.name, "trainer-5");
	CHECK_STRING(answer.operation, "CREATE");
	CHECK_STRING(review_decision_name(answer.decision), "denied");
	CU_ASSERT(answer.code == 422 && answer.http_status == 200 && answer.index == -1);
	CU_ASSERT(answer.message && strncmp(answer.message, "Pod ml/trainer-5: annotation", 28) == 0);
	free(text);
	unit_arena_end(&unit);
}

int add_review_suite(void)
{
	static const struct unit_test tests[] = {
		{"a review cut at any byte gets one clear answer", a_review_cut_at_any_byte_gets_one_clear_answer},
		{"what is no review gets 400", what_is_no_review_gets_400},
		{"hostile bodies end within the memory of one review",
		 hostile_bodies_end_within_the_memory_of_one_review},
		{"a budget that others hold gives 503", a_budget_that_others_hold_gives_503},
		{"a review that runs out of memory anywhere is refused as a whole",
		 a_review_that_runs_out_of_memory_anywhere_is_refused_as_a_whole},
		{"the answer tells what logs and metrics need", the_answer_tells_what_logs_and_metrics_need},
		{NULL, NULL},
	};

	return add_suite("review", tests);
}
