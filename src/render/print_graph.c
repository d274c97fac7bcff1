/* SPDX-License-Identifier: Apache-2.0 */
#include "render/print_graph.h"

#include <string.h>

#include "core/tfconfig.h"
#include "render/print.h"

#define NOTE_EVALUATOR "not in the others' cluster"
#define NOTE_SPARSE    "sparse: a worker sees the chief, every ps and itself"

/* The table of a group, with the width of its columns. */
struct table {
	FILE *file;
	const struct set_report *set;
	bool all;
	int role_width;
	int index_width;
	int pod_width;
};

static int digits_of(unsigned number)
{
	return snprintf(NULL, 0, "%u", number);
}

static void widen(int *width, int needed)
{
	if (needed > *width)
		*width = needed;
}

static void measure(struct table *table)
{
	const struct group *group = &table->set->stamp.group;

	table->role_width = (int)strlen("ROLE");
	table->index_width = (int)strlen("INDEX");
	table->pod_width = (int)strlen("POD");
	for (size_t i = 0; i < group->len; i++) {
		const struct group_entry *entry = &group->entries[i];

		widen(&table->role_width, (int)strlen(role_name(entry->role)));
		widen(&table->index_width, digits_of(entry->first_index + entry->count - 1));
		widen(&table->pod_width,
		      (int)strlen(entry->set) + 1 + digits_of(entry->first_ordinal + entry->count - 1));
	}
}

static void print_row(const struct table *table, const struct group_entry *entry, const char *domain, unsigned pod)
{
	const char *note = entry->role == ROLE_EVALUATOR ? "  (" NOTE_EVALUATOR ")" : "";
	unsigned ordinal = entry->first_ordinal + pod;
	int name_width = table->pod_width - digits_of(ordinal) - 1;
	int padding = name_width - (int)strlen(entry->set);

	fprintf(table->file, "%-*s  %*u  %s-%u%*s  %s-%u%s:%u%s\n", table->role_width, role_name(entry->role),
		table->index_width, entry->first_index + pod, entry->set, ordinal, padding, "", entry->set, ordinal,
		domain, table->set->stamp.port, note);
}

/* The rows of a role's pods from one index up to another. */
static void print_rows(const struct table *table, enum role role, unsigned from, unsigned to)
{
	const struct stamp *stamp = &table->set->stamp;
	char memory[1024];
	struct arena arena;

	for (size_t i = 0; i < stamp->group.len; i++) {
		const struct group_entry *entry = &stamp->group.entries[i];
		const char *domain;

		if (entry->role != role)
			continue;
		arena_init_fixed(&arena, memory, sizeof(memory));
		domain = tfconfig_domain_of(&arena, stamp, table->set->manifest->namespace, entry);
		for (unsigned pod = 0; pod < entry->count; pod++) {
			unsigned index = entry->first_index + pod;

			if (index >= from && index < to)
				print_row(table, entry, domain ? domain : "", pod);
		}
	}
}

static void print_role(const struct table *table, enum role role)
{
	unsigned size = group_role_size(&table->set->stamp.group, role);
	char count[PRINT_COUNT_MAX];

	if (table->all || size <= 2 * PRINT_ENDS) {
		print_rows(table, role, 0, size);
		return;
	}
	print_rows(table, role, 0, PRINT_ENDS);
	fprintf(table->file, "%-*s  … %s more\n", table->role_width, role_name(role),
		print_count(count, size - 2 * PRINT_ENDS));
	print_rows(table, role, size - PRINT_ENDS, size);
}

void print_graph(FILE *file, const struct set_report *set, bool all)
{
	struct table table = {.file = file, .set = set, .all = all};

	measure(&table);
	fprintf(file, "%-*s  %*s  %-*s  ADDRESS\n", table.role_width, "ROLE", table.index_width, "INDEX",
		table.pod_width, "POD");
	for (enum role role = ROLE_CHIEF; role < ROLE_COUNT; role++)
		print_role(&table, role);
	if (set->stamp.sparse)
		fprintf(file, "%s\n", NOTE_SPARSE);
}
