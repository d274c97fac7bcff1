/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "core/review.h"
#include "fuzz.h"

/*
 * Any bytes as the body of a review: there is one answer, within the memory of one review. Behind a NUL, the bytes of
 * an object that the cluster is said to hold wherever the review before it would like to see one.
 */

enum { FIRST_BLOCK = 16 * 1024, MEMORY = 16 * 1024 * 1024 };

static struct budget budget;
static struct arena arena, second_arena;

static const struct review_config config = {.cluster_domain = "cluster.local", .wait_image = "tfconfig-webhook:1"};

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	if (fuzz_init(&budget, MEMORY, &arena, FIRST_BLOCK) < 0)
		return -1;
	return arena_init(&second_arena, FIRST_BLOCK, MEMORY, &budget);
}

/* Reviews twice, as a server does that can look into the cluster: what is found there changes no decision. */
static void review_with(const char *body, const char *object)
{
	struct related_list related = {.items = NULL};
	struct review_answer first, second;

	review_answer_with(&arena, body, strlen(body), &config, &related, &first);
	for (size_t i = 0; i < related.len; i++) {
		related.items[i].state = RELATED_FOUND;
		related.items[i].json = object;
		related.items[i].json_len = strlen(object);
	}
	review_answer_with(&second_arena, body, strlen(body), &config, &related, &second);
	if (first.decision != second.decision && second.decision != REVIEW_REFUSED)
		abort();
	arena_reset(&second_arena);
	arena_reset(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct review_answer answer;
	char *body = fuzz_text(data, size);

	if (!body)
		return 0;
	review_answer(&arena, body, size, &config, &answer);
	if (answer.http_status < 200 || answer.body_len == 0)
		abort();
	arena_reset(&arena);
	if (strlen(body) < size)
		review_with(body, body + strlen(body) + 1);
	if (budget_used(&budget) != 2 * FIRST_BLOCK)
		abort();
	free(body);
	return 0;
}
