/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"
#include "fuzz.h"
#include "render/manifests.h"

/* Any bytes as a file of manifests: it is read or refused, within its memory, and what is read can be printed. */

enum { FIRST_BLOCK = 16 * 1024, MEMORY = 16 * 1024 * 1024 };

static struct budget budget;
static struct arena arena;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return fuzz_init(&budget, MEMORY, &arena, FIRST_BLOCK);
}

static void print_all(const struct manifest_list *list)
{
	for (size_t i = 0; i < list->len; i++) {
		if (!cJSON_PrintUnformatted(list->items[i].object) && arena.state == ARENA_OK)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct notes notes;
	struct manifests manifests = {.arena = &arena, .notes = &notes, .namespace = "default"};
	struct error err = {ERROR_NONE, ""};
	struct arena *before;

	notes_init(&notes);
	if (manifests_read_text(&manifests, "fuzz.yaml", (const char *)data, size, &err) < 0) {
		if (err.code == ERROR_NONE || !err.message[0])
			abort();
	} else {
		before = arena_enter(&arena);
		print_all(&manifests.sets);
		print_all(&manifests.services);
		arena_enter(before);
	}
	arena_reset(&arena);
	if (budget_used(&budget) != FIRST_BLOCK)
		abort();
	notes_release(&notes);
	return 0;
}
