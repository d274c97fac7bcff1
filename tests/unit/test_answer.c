/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "base/text.h"
#include "kube/answer.h"
#include "suites.h"
#include "unit.h"

static enum kube_status judge(const char *content_type, long code, const char *body, struct error *err)
{
	static char memory[64 * 1024];
	const struct kube_request request = {.method = "PATCH", .path = "/api/v1/x?y=z", .content_type = content_type};
	CLEANUP(buf_release) struct buf answer;
	struct arena arena;
	enum kube_status status;

	*err = (struct error){0};
	buf_init(&answer, 1024 * 1024);
	buf_add_string(&answer, body);
	arena_init_fixed(&arena, memory, sizeof(memory));
	status = answer_classify(&arena, &request, code, &answer, err);
	return status;
}

static void a_code_is_a_status(void)
{
	static const char causes[] = "{\"details\":{\"causes\":[{\"field\":\"data\"}]}}";
	static const char none[] = "{\"details\":{}}";
	static const char json_patch[] = "application/json-patch+json";
	static const char apply[] = "application/apply-patch+yaml";
	static const struct {
		long code;
		const char *content_type, *body;
		enum kube_status status;
	} rows[] = {
		{200, NULL, "", KUBE_OK},
		{201, apply, "{}", KUBE_OK},
		{299, NULL, "", KUBE_OK},
		{302, NULL, "", KUBE_REFUSED},
		{400, NULL, "", KUBE_REFUSED},
		{401, NULL, "", KUBE_FORBIDDEN},
		{403, NULL, "", KUBE_FORBIDDEN},
		{404, NULL, "{\"kind\":\"Status\",\"reason\":\"NotFound\"}", KUBE_NOT_FOUND},
		{404, NULL, "default backend - 404", KUBE_UNAVAILABLE},
		{404, NULL, "{\"reason\":\"Gone\"}", KUBE_UNAVAILABLE},
		{408, NULL, "", KUBE_UNAVAILABLE},
		{409, NULL, "", KUBE_CONFLICT},
		{409, apply, causes, KUBE_CONFLICT},
		{410, NULL, "", KUBE_GONE},
		{422, json_patch, "", KUBE_CONFLICT},
		{422, json_patch, none, KUBE_CONFLICT},
		{422, json_patch, causes, KUBE_REFUSED},
		{422, apply, none, KUBE_REFUSED},
		{422, NULL, none, KUBE_REFUSED},
		{429, NULL, "", KUBE_UNAVAILABLE},
		{499, NULL, "", KUBE_REFUSED},
		{500, NULL, "", KUBE_UNAVAILABLE},
		{504, NULL, "", KUBE_UNAVAILABLE},
	};
	struct error err;
	char row[32];

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		snprintf(row, sizeof(row), "row %zu: %ld", i, rows[i].code);
		CHECK_ROW(judge(rows[i].content_type, rows[i].code, rows[i].body, &err) == rows[i].status, row);
		CHECK_ROW((err.code == ERROR_NONE) == (rows[i].status == KUBE_OK), row);
	}
}

static void the_message_is_given_if_there_is_one(void)
{
	static const struct {
		const char *body, *expected;
	} rows[] = {
		{"{\"message\":\"no\"}", "PATCH /api/v1/x: HTTP 500: no"},
		{"{\"message\":\"a\\nb\\u0007\"}", "PATCH /api/v1/x: HTTP 500: a?b?"},
		{"{\"message\":\"\"}", "PATCH /api/v1/x: HTTP 500"},
		{"{\"message\":{}}", "PATCH /api/v1/x: HTTP 500"},
		{"{\"message\":\"a\\u0000b\"}", "PATCH /api/v1/x: HTTP 500"},
		{"not JSON", "PATCH /api/v1/x: HTTP 500"},
		{"", "PATCH /api/v1/x: HTTP 500"},
	};
	struct error err;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		CU_ASSERT(judge(NULL, 500, rows[i].body, &err) == KUBE_UNAVAILABLE);
		CHECK_STRING(err.message, rows[i].expected);
	}
}

/* A line of PEM is the least that could reveal something of a key. */
static void long_words_of_base64_are_left_out(void)
{
	static const char word[] = "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgd1m3+/8xKx0pQ9ab";
	char body[1024];
	struct error err;

	snprintf(body, sizeof(body), "{\"message\":\"%s and \\\"%.63s\\\" %s%s=\"}", word, word, word, word);
	CU_ASSERT(strlen(word) == 64);
	CU_ASSERT(judge(NULL, 400, body, &err) == KUBE_REFUSED);
	snprintf(body, sizeof(body), "PATCH /api/v1/x: HTTP 400: ... and \"%.63s\" ...", word);
	CHECK_STRING(err.message, body);
}

static void a_long_message_is_cut_between_characters(void)
{
	char body[2048] = "{\"message\":\"";
	struct error err;

	for (size_t i = 0; i < 400; i++)
		strcat(body, "\xE2\x82\xAC ");
	strcat(body, "\"}");
	CU_ASSERT(judge(NULL, 400, body, &err) == KUBE_REFUSED);
	CU_ASSERT(strlen(err.message) > 200 && strlen(err.message) < 300);
	CU_ASSERT(text_is_utf8(err.message, strlen(err.message)));
}

static void a_long_path_is_cut(void)
{
	char path[600];
	const struct kube_request request = {.method = "GET", .path = path};
	struct error err;

	memset(path, 'x', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	CU_ASSERT(answer_failed(&request, ERROR_SYSTEM, "no", &err) == -1);
	CU_ASSERT(strlen(err.message) == strlen("GET ...: no") + 200);
	path[200] = '?';
	CU_ASSERT(answer_failed(&request, ERROR_SYSTEM, "no", &err) == -1);
	CU_ASSERT(strlen(err.message) == strlen("GET : no") + 200);
}

int add_answer_suite(void)
{
	static const struct unit_test tests[] = {
		{"a code is a status", a_code_is_a_status},
		{"the message is given if there is one", the_message_is_given_if_there_is_one},
		{"long words of base64 are left out", long_words_of_base64_are_left_out},
		{"a long message is cut between characters", a_long_message_is_cut_between_characters},
		{"a long path is cut", a_long_path_is_cut},
		{NULL, NULL},
	};

	return add_suite("answers of the API server", tests);
}
