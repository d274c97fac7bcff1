/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "core/limits.h"
#include "core/review.h"
#include "suites.h"
#include "unit.h"

static const struct review_config config = {.cluster_domain = "cluster.local"};

/* Reads a file of tests/cases; the tests run at the project's root. The caller frees. */
static char *read_data(const char *name, size_t *ret_len)
{
	char path[200];
	char *text = NULL;
	FILE *file;
	long len;

	snprintf(path, sizeof(path), "tests/cases/%s", name);
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
	static const char *const names[] = {"recorded/statefulset-create.json", "recorded/pod-create-ordinal-5.json"};
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
		{"\n", "the body is not an AdmissionReview: it is not JSON"},
		{"null", "the body is not an AdmissionReview: its kind"},
		{"[]", "the body is not an AdmissionReview: its kind"},
		{"{}", "the body is not an AdmissionReview: its kind"},
		{"{\"kind\":\"AdmissionReview\"}", "the body is not an AdmissionReview: its apiVersion"},
		{"{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v2\",\"request\":{\"uid\":\"u\"}}",
		 "the body is not an AdmissionReview: its apiVersion"},
		{"{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\"}",
		 "the body is not an AdmissionReview: it has no request"},
		{"{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"request\":null}",
		 "the body is not an AdmissionReview: it has no request"},
		{"{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"request\":{}}",
		 "the body is not an AdmissionReview: its request has no uid"},
		{"{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"Request\":{\"uid\":\"u\"}}",
		 "the body is not an AdmissionReview: it has no request"},
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
	enum { MIB = 1024 * 1024, MEMORY = 24 * MIB };
	/* As they are, and as a sound array, which grows up to forty-fold in the parser. */
	static const char *const patterns[] = {"[", "[0,0,", "{\"a\":", "\"", "0,", "\\", " "};
	static const char *const members[] = {"0,", "[],", "{},", "\"\","};
	const size_t len = REVIEW_MAX_BODY;
	char *text = malloc(len + 1);
	struct review_answer answer;
	struct budget budget;
	struct arena arena;

	budget_init(&budget, 2 * MEMORY);
	CU_ASSERT(arena_init(&arena, 65536, MEMORY, &budget) == 0);
	for (size_t i = 0; text && i < ARRAY_LEN(patterns); i++) {
		fill(text, len, patterns[i]);
		review_answer(&arena, text, len, &config, &answer);
		CHECK_ROW(answer.http_status == 400 || answer.http_status == 413, patterns[i]);
		CU_ASSERT(budget_used(&budget) <= MEMORY);
		arena_reset(&arena);
		CU_ASSERT(budget_used(&budget) == 65536);
	}
	for (size_t i = 0; text && i < ARRAY_LEN(members); i++) {
		size_t size = strlen(members[i]);
		size_t whole = (len / size - 1) * size;

		text[0] = '[';
		fill(text + 1, whole - size, members[i]);
		memcpy(text + 1 + whole - size, "0]", 3);
		review_answer(&arena, text, strlen(text), &config, &answer);
		CHECK_ROW(answer.http_status == 413, members[i]);
		arena_reset(&arena);
	}
	arena_release(&arena);
	free(text);
}

/*
 * A body that repeats `item` count times between two texts is answered, with a work that grows as it does: what grows
 * faster would take minutes here. Returns the answer's HTTP status.
 */
static int answer_repeated(const char *before, const char *item, size_t count, const char *after)
{
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);
	struct review_answer answer = {0};
	size_t size = strlen(before) + count * (strlen(item) + 16) + strlen(after) + 1;
	char *body = malloc(size);
	size_t len = 0;

	arena_enter(NULL);
	if (body) {
		len += (size_t)snprintf(body, size, "%s", before);
		for (size_t i = 0; i < count; i++) {
			for (const char *c = item; *c; c++) {
				if (*c == '#')
					len += (size_t)snprintf(body + len, size - len, "%zu", i);
				else
					body[len++] = *c;
			}
		}
		len += (size_t)snprintf(body + len, size - len, "%s", after);
		review_answer(arena, body, len, &config, &answer);
		free(body);
	}
	unit_arena_end(&unit);
	return answer.http_status;
}

#define SET_HEAD                                                                                                       \
	"{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/"                                             \
	"v1\",\"request\":{\"uid\":\"u\",\"resource\":"                                                                \
	"{\"group\":\"apps\",\"resource\":\"statefulsets\"},\"operation\":\"CREATE\",\"namespace\":\"ml\",\"object\":" \
	"{\"metadata\":{\"name\":\"t\",\"annotations\":{\"tfconfig.dev/inject\":\"true\""
#define SET_SPEC "}},\"spec\":{\"serviceName\":\"s\",\"template\":{\"spec\":{"
#define SET_TAIL "}}}}}}"

static void the_work_grows_no_faster_than_the_body(void)
{
	CU_ASSERT(answer_repeated(SET_HEAD, ",\"k#\":\"\"", 150000, SET_SPEC SET_TAIL) == 200);
	CU_ASSERT(answer_repeated(SET_HEAD SET_SPEC "\"containers\":[{\"name\":\"c\"}", ",{\"name\":\"c#\"}", 100000,
				  "]" SET_TAIL) == 200);
	CU_ASSERT(answer_repeated(SET_HEAD SET_SPEC "\"containers\":[{}", ",{}", 60000, "],\"x\":[]" SET_TAIL) == 200);
	CU_ASSERT(answer_repeated(SET_HEAD SET_SPEC "\"containers\":[{},{},{}]", ",\"m#\":[]", 100000, SET_TAIL) ==
		  200);
	CU_ASSERT(answer_repeated(SET_HEAD SET_SPEC "\"containers\":[{\"name\":\"c\",\"env\":[{\"name\":\"http_proxy\","
						    "\"value\":\"p\"},{\"name\":\"no_proxy\",\"value\":\"",
				  "a,", 1000000, "\"}]}]" SET_TAIL) == 200);
	CU_ASSERT(answer_repeated(SET_HEAD ",\"tfconfig.dev/containers\":\"c", ",c#", 99,
				  "\"" SET_SPEC "\"containers\":[{\"name\":\"c\"}]" SET_TAIL) == 200);
}

static void a_budget_that_others_hold_gives_503(void)
{
	size_t len = 0;
	char *text = read_data("recorded/statefulset-update-restart.json", &len);
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

/* The arena ends at every 16 bytes: each time there is the whole answer or none. */
static void check_memory_runs_out(const char *name, char *memory, size_t size)
{
	size_t len = 0;
	char *text = read_data(name, &len);
	struct review_answer whole = {0};
	struct unit_arena unit;
	struct arena *enough = unit_arena_begin(&unit);
	int answered = 0;

	if (text)
		review_answer(enough, text, len, &config, &whole);
	for (size_t used = 64; text && used <= size && answered < 20; used += 16) {
		struct review_answer answer;
		struct arena arena;

		arena_init_fixed(&arena, memory, used);
		review_answer(&arena, text, len, &config, &answer);
		if (answer.http_status == 413)
			continue;
		answered++;
		CHECK_ROW(answer.http_status == 200 && answer.decision == whole.decision, name);
		CHECK_STRING(answer.body, whole.body);
	}
	CHECK_ROW(answered > 0, name);
	free(text);
	unit_arena_end(&unit);
}

static void a_review_that_runs_out_of_memory_anywhere_is_refused_as_a_whole(void)
{
	enum { SIZE = 512 * 1024 };
	char *memory = malloc(SIZE);

	if (memory) {
		check_memory_runs_out("recorded/statefulset-update-annotate.json", memory, SIZE);
		check_memory_runs_out("recorded/pod-create-indexed-job.json", memory, SIZE);
		check_memory_runs_out("pod/overwrite-replaces-the-last-and-removes-earlier-ones/review.json", memory,
				      SIZE);
		check_memory_runs_out("set/proxy-without-no-proxy-warns/review.json", memory, SIZE);
	}
	free(memory);
}

static void the_answer_tells_what_logs_and_metrics_need(void)
{
	size_t len = 0;
	char *text = read_data("recorded/pod-create-ordinal-5.json", &len);
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
		{"the work grows no faster than the body", the_work_grows_no_faster_than_the_body},
		{"a budget that others hold gives 503", a_budget_that_others_hold_gives_503},
		{"a review that runs out of memory anywhere is refused as a whole",
		 a_review_that_runs_out_of_memory_anywhere_is_refused_as_a_whole},
		{"the answer tells what logs and metrics need", the_answer_tells_what_logs_and_metrics_need},
		{NULL, NULL},
	};

	return add_suite("review", tests);
}
