/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "core/review.h"

/*
 * Answers one review again and again, without a server: `core FILE TIMES`. Two runs under callgrind, whose TIMES
 * differ, tell what one answer costs. A first answer warms up; whatever asks the system for memory after it is counted.
 */

enum { FILE_MAX = 64 * 1024, FIRST_BLOCK = 64 * 1024, MEMORY = 16 * 1024 * 1024 };

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);

static unsigned long allocations;

/* In the place of the C library's, for everything that is linked. */
void *malloc(size_t size)
{
	allocations++;
	return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	allocations++;
	return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
	allocations++;
	return __libc_realloc(memory, size);
}

static size_t read_file(const char *path, char *text)
{
	FILE *file = fopen(path, "r");
	size_t len = file ? fread(text, 1, FILE_MAX - 1, file) : 0;

	if (file)
		fclose(file);
	text[len] = '\0';
	return len;
}

static void answer_times(struct arena *arena, const char *text, size_t len, unsigned long times)
{
	static const struct review_config config = {.cluster_domain = "cluster.local"};
	struct review_answer answer;

	while (times-- > 0) {
		review_answer(arena, text, len, &config, &answer);
		if (answer.decision != REVIEW_PATCHED) {
			fprintf(stderr, "core: no patch: %s\n", answer.body);
			exit(1);
		}
		arena_reset(arena);
	}
}

int main(int argc, char **argv)
{
	static char text[FILE_MAX];
	size_t len = argc == 3 ? read_file(argv[1], text) : 0;
	unsigned long warm;
	struct budget budget;
	struct arena arena;

	budget_init(&budget, MEMORY);
	if (len == 0 || arena_init(&arena, FIRST_BLOCK, MEMORY, &budget) < 0)
		return 2;
	arena_hook_cjson();
	answer_times(&arena, text, len, 1);
	warm = allocations;
	answer_times(&arena, text, len, strtoul(argv[2], NULL, 10));
	printf("%lu allocations\n", allocations - warm);
	arena_release(&arena);
	return 0;
}
