/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

/*
 * What the fuzz targets share: libFuzzer's two entry points, which it finds by their names, and their memory.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* Has cJSON use the arenas, and makes the first of a target's, which may take all of its memory. 0 where it is made. */
static inline int fuzz_init(struct budget *budget, size_t memory, struct arena *arena, size_t first_block)
{
	arena_hook_cjson();
	budget_init(budget, memory);
	return arena_init(arena, first_block, memory, budget);
}

/* The bytes with a '\0' behind them, for the caller to free; NULL without memory. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		return NULL;
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

#endif
