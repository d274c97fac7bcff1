/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/same_verdict.h"
#include "base/arena.h"
#include "base/json.h"
#include "base/scan.h"
#include "fuzz.h"

/*
 * Any bytes as JSON: what the scan lets pass, the parser takes, and the rules say the same of the members alone as of
 * the whole.
 */

enum { FIRST_BLOCK = 64 * 1024, MEMORY = 32 * 1024 * 1024 };

static struct budget budget;
static struct arena arena;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return fuzz_init(&budget, MEMORY, &arena, FIRST_BLOCK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *before = arena_enter(&arena);
	char *text = fuzz_text(data, size);

	if (!text)
		return 0;
	if (scan_is_json(text, size) && !cJSON_ParseWithLengthOpts(text, size + 1, NULL, 1) && arena.state == ARENA_OK)
		abort();
	if (!same_verdict(&arena, text, size))
		abort();
	arena_reset(&arena);
	arena_enter(before);
	free(text);
	return 0;
}
