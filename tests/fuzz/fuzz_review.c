#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "core/review.h"

/* Any bytes as the body of a review: there is one answer, within the memory of one review. */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

enum { FIRST_BLOCK = 16 * 1024, MEMORY = 16 * 1024 * 1024 };

static struct budget budget;
static struct arena arena;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	arena_hook_cjson();
	budget_init(&budget, MEMORY);
	return arena_init(&arena, FIRST_BLOCK, MEMORY, &budget);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct review_config config = {.cluster_domain = "cluster.local",
						    .wait_image = "tfconfig-webhook:1"};
	struct review_answer answer;
	char *body = malloc(size + 1);

	if (!body)
		return 0;
	if (size)
		memcpy(body, data, size);
	body[size] = '\0';
	review_answer(&arena, body, size, &config, &answer);
	if (answer.http_status < 200 || answer.body_len == 0)
		abort();
	arena_reset(&arena);
	if (budget_used(&budget) != FIRST_BLOCK)
		abort();
	free(body);
	return 0;
}
