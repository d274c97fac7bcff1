/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/base64.h"
#include "base/buf.h"
#include "base/json.h"
#include "cmd/commands.h"
#include "cmd/options.h"
#include "core/limits.h"
#include "core/review.h"
#include "sys/file.h"

enum { REVIEW_FIRST_BLOCK = 64 * 1024 };

struct review_settings {
	bool decode;
	const char *cluster_domain;
	const char *wait_image;
};

static const struct option option_table[] = {
	{.flag = "--decode",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct review_settings, decode),
	 .help = "show the patch as JSON instead of base64"},
	{.flag = "--cluster-domain",
	 .type = OPTION_DOMAIN,
	 .offset = offsetof(struct review_settings, cluster_domain),
	 .fallback = "",
	 .value = "DOMAIN",
	 .help = "the cluster's DNS domain, such as cluster.local; without it names end at .svc"},
	{.flag = "--wait-image",
	 .type = OPTION_IMAGE,
	 .offset = offsetof(struct review_settings, wait_image),
	 .value = "IMAGE",
	 .help = "the webhook's own image, for the init container that waits; without it tfconfig.dev/wait is denied"},
	{0},
};

static const char usage[] = "Usage: tfconfig-webhook review [flags] < review.json\n\n"
			    "Answers one AdmissionReview from stdin, as the webhook would, on stdout.\n"
			    "Exit code 0 for allowed, 1 for denied or unreadable, 2 for wrong usage.\n";

static int read_stdin(struct buf *body, struct error *err)
{
	if (file_read_descriptor(STDIN_FILENO, body) == 0)
		return 0;
	if (errno == EFBIG)
		return error_set(err, ERROR_INVALID, "the review on stdin is larger than " REVIEW_MAX_BODY_TEXT);
	return error_set(err, ERROR_SYSTEM, "stdin: %s", strerror(errno));
}

/* The answer as text, with response.patch as an array; NULL if the arena is full. */
static const char *decode_patch(struct arena *arena, const struct review_answer *answer)
{
	cJSON *review = json_parse(arena, answer->body, answer->body_len, NULL);
	cJSON *response = json_get_object(review, "response");
	const char *encoded = json_get_string(response, "patch");
	cJSON *patch;
	char *text;
	size_t len;

	if (!review)
		return NULL;
	if (!encoded)
		return answer->body;
	text = base64_decode(arena, encoded, &len);
	patch = text ? json_parse(arena, text, len, NULL) : NULL;
	if (!patch)
		return NULL;
	cJSON_ReplaceItemInObjectCaseSensitive(response, "patch", patch);
	return json_print(arena, review);
}

static int answer_review(struct arena *arena, const struct review_settings *settings, const struct buf *body,
			 struct error *err)
{
	struct review_config config = {.cluster_domain = settings->cluster_domain, .wait_image = settings->wait_image};
	struct review_answer answer;
	const char *text;

	review_answer(arena, buf_string(body), body->len, &config, &answer);
	if (answer.decision == REVIEW_REFUSED) {
		error_set(err, ERROR_INVALID, "%.*s", (int)strcspn(answer.message, "\n"), answer.message);
		return EXIT_FAILED;
	}
	arena_enter(arena);
	text = settings->decode ? decode_patch(arena, &answer) : answer.body;
	arena_enter(NULL);
	if (!text) {
		error_set(err, ERROR_NO_MEMORY, "the answer needs more than %zu bytes of memory",
			  REVIEW_DEFAULT_MEMORY);
		return EXIT_FAILED;
	}
	if (printf("%s\n", text) < 0 || fflush(stdout) != 0) {
		error_set(err, ERROR_SYSTEM, "stdout: %s", strerror(errno));
		return EXIT_FAILED;
	}
	return answer.decision == REVIEW_DENIED ? EXIT_FAILED : EXIT_OK;
}

int cmd_review(int argc, char **argv)
{
	CLEANUP(buf_release) struct buf body;
	CLEANUP(arena_release) struct arena arena = {0};
	struct error err = {ERROR_NONE, ""};
	struct review_settings settings = {0};
	struct options options = {.table = option_table, .usage = usage, .settings = &settings};
	struct budget budget;
	int code;

	buf_init(&body, REVIEW_MAX_BODY);
	budget_init(&budget, REVIEW_DEFAULT_MEMORY);
	if (options_help(&options, argc, argv))
		return EXIT_OK;
	if (options_parse(&options, argc, argv, &err) < 0 || read_stdin(&body, &err) < 0)
		return command_failed("review", &err);
	if (arena_init(&arena, REVIEW_FIRST_BLOCK, REVIEW_ARENA_MAX(REVIEW_DEFAULT_MEMORY), &budget) < 0) {
		error_set(&err, ERROR_NO_MEMORY, "out of memory");
		return command_failed("review", &err);
	}
	code = answer_review(&arena, &settings, &body, &err);
	if (err.code != ERROR_NONE)
		return command_failed("review", &err);
	return code;
}
