/* SPDX-License-Identifier: Apache-2.0 */
#include "core/tfconfig.h"

#include <stdint.h>
#include <string.h>

/* Where the value is written: memory of just the size that was counted. */
struct writer {
	char *at;
	char *end;
	bool overrun; /* more was to be written: the count was wrong */
};

/* Which roles a pod's "cluster" lists in full. */
static bool lists_role(const struct stamp *stamp, enum role role, struct task own)
{
	if (group_role_size(&stamp->group, role) == 0)
		return false;
	return role != ROLE_EVALUATOR || own.role == ROLE_EVALUATOR;
}

/* In the sparse form, a worker sees no other worker. */
static bool is_sparse(const struct stamp *stamp, enum role role, struct task own)
{
	return stamp->sparse && own.role == ROLE_WORKER && role == ROLE_WORKER;
}

static unsigned digits_of(unsigned number)
{
	unsigned digits = 1;

	for (; number >= 10; number /= 10)
		digits++;
	return digits;
}

/* Decimal digits of first, first + 1, ..., first + count - 1 together, a decade at a time. */
static size_t digits_of_range(unsigned first, unsigned count)
{
	uint64_t at = first;
	uint64_t end = (uint64_t)first + count;
	uint64_t decade = 10;
	size_t digits = 1;
	size_t sum = 0;

	while (at < end) {
		while (decade <= at) {
			decade *= 10;
			digits++;
		}
		sum += ((decade < end ? decade : end) - at) * digits;
		at = decade < end ? decade : end;
	}
	return sum;
}

/* Bytes of an entry's address without the ordinal: "set-" ".service.ns.svc.domain:port". */
static size_t address_size(const struct stamp *stamp, const char *namespace, const struct group_entry *entry)
{
	size_t size = strlen(entry->set) + 1 + 1 + strlen(entry->service) + 1 + digits_of(stamp->port);

	if (stamp->address == ADDRESS_SHORT)
		return size;
	size += 1 + strlen(namespace) + strlen(".svc");
	return stamp->domain[0] ? size + 1 + strlen(stamp->domain) : size;
}

/* The entry that holds the task, which is one of the group's. */
static const struct group_entry *entry_of(const struct group *group, struct task task)
{
	const struct group_entry *entry = group->entries;

	for (size_t i = 0; i < group->len; i++) {
		if (group->entries[i].role == task.role && group->entries[i].first_index <= task.index)
			entry = &group->entries[i];
	}
	return entry;
}

/* Bytes between the brackets of a role's list: addresses, quotes and commas. */
static size_t list_size(const struct stamp *stamp, const char *namespace, enum role role)
{
	size_t size = 0;

	for (size_t i = 0; i < stamp->group.len; i++) {
		const struct group_entry *entry = &stamp->group.entries[i];

		if (entry->role != role)
			continue;
		size += (address_size(stamp, namespace, entry) + strlen("\"\",")) * entry->count;
		size += digits_of_range(entry->first_ordinal, entry->count);
	}
	return size - 1; /* no comma after the last */
}

static size_t own_address_size(const struct stamp *stamp, const char *namespace, struct task task)
{
	const struct group_entry *entry = entry_of(&stamp->group, task);

	return address_size(stamp, namespace, entry) +
	       digits_of(entry->first_ordinal + task.index - entry->first_index);
}

size_t tfconfig_size(const struct stamp *stamp, const char *namespace, struct task own)
{
	size_t size = strlen("{\"cluster\":{},\"task\":{\"type\":\"\",\"index\":}}");

	size += strlen(role_name(own.role)) + digits_of(own.index);
	if (stamp->grpc)
		size += strlen(",\"rpc_layer\":\"grpc\"");
	for (enum role role = ROLE_CHIEF; role < ROLE_COUNT; role++) {
		if (!lists_role(stamp, role, own))
			continue;
		size += strlen(role_name(role)) + strlen("\"\":[],");
		if (is_sparse(stamp, role, own))
			size += strlen("\"\":\"\"") + digits_of(own.index) + own_address_size(stamp, namespace, own);
		else
			size += list_size(stamp, namespace, role);
	}
	return size - 1; /* no comma after the last role */
}

size_t tfconfig_largest_size(const struct stamp *stamp, const char *namespace)
{
	size_t largest = 0;

	for (enum role role = ROLE_CHIEF; role < ROLE_COUNT; role++) {
		unsigned pods = group_role_size(&stamp->group, role);
		size_t size = pods ? tfconfig_size(stamp, namespace, (struct task){role, pods - 1}) : 0;

		if (size > largest)
			largest = size;
	}
	return largest;
}

/* The group with every count above the cap cut to it. */
static void cap_group(struct stamp *stamp, const struct group *whole, unsigned cap)
{
	for (size_t i = 0; i < whole->len; i++) {
		stamp->group.entries[i] = whole->entries[i];
		if (whole->entries[i].count > cap)
			stamp->group.entries[i].count = cap;
	}
	group_number(&stamp->group, stamp->start);
}

unsigned tfconfig_largest_group(const struct stamp *stamp, const char *namespace)
{
	struct group_entry entries[GROUP_ENTRIES_MAX];
	struct stamp capped = *stamp;
	unsigned fits = 1;
	unsigned too_many = 1;

	capped.group.entries = entries;
	for (size_t i = 0; i < stamp->group.len; i++) {
		if (stamp->group.entries[i].count >= too_many)
			too_many = stamp->group.entries[i].count + 1;
	}
	while (too_many - fits > 1) {
		unsigned middle = fits + (too_many - fits) / 2;

		cap_group(&capped, &stamp->group, middle);
		if (tfconfig_largest_size(&capped, namespace) <= TFCONFIG_MAX)
			fits = middle;
		else
			too_many = middle;
	}
	cap_group(&capped, &stamp->group, fits);
	return group_size(&capped.group);
}

const char *tfconfig_domain_of(struct arena *arena, const struct stamp *stamp, const char *namespace,
			       const struct group_entry *entry)
{
	if (stamp->address == ADDRESS_SHORT)
		return arena_printf(arena, ".%s", entry->service);
	return arena_printf(arena, ".%s.%s.svc%s%s", entry->service, namespace, stamp->domain[0] ? "." : "",
			    stamp->domain);
}

static void write_text(struct writer *writer, const char *text)
{
	size_t len = strlen(text);

	if (len > (size_t)(writer->end - writer->at)) {
		writer->overrun = true;
		return;
	}
	memcpy(writer->at, text, len);
	writer->at += len;
}

static void write_number(struct writer *writer, unsigned number)
{
	char digits[sizeof("4294967295")];
	char *first = digits + sizeof(digits) - 1;

	*first = '\0';
	do {
		*--first = (char)('0' + number % 10);
		number /= 10;
	} while (number > 0);
	write_text(writer, first);
}

/* What follows the ordinal in each address of an entry: the same for all of them, so it is made once. */
static const char *address_end(struct arena *arena, const struct stamp *stamp, const char *namespace,
			       const struct group_entry *entry)
{
	const char *domain = tfconfig_domain_of(arena, stamp, namespace, entry);

	return domain ? arena_printf(arena, "%s:%u\"", domain, stamp->port) : NULL;
}

static bool write_list(struct arena *arena, struct writer *writer, const struct stamp *stamp, const char *namespace,
		       enum role role)
{
	bool first = true;

	for (size_t i = 0; i < stamp->group.len; i++) {
		const struct group_entry *entry = &stamp->group.entries[i];
		const char *end;

		if (entry->role != role)
			continue;
		end = address_end(arena, stamp, namespace, entry);
		if (!end)
			return false;
		for (unsigned pod = 0; pod < entry->count; pod++) {
			write_text(writer, first ? "\"" : ",\"");
			write_text(writer, entry->set);
			write_text(writer, "-");
			write_number(writer, entry->first_ordinal + pod);
			write_text(writer, end);
			first = false;
		}
	}
	return true;
}

/* "<index>":"host:port" of the pod itself. */
static bool write_own(struct arena *arena, struct writer *writer, const struct stamp *stamp, const char *namespace,
		      struct task task)
{
	const struct group_entry *entry = entry_of(&stamp->group, task);
	const char *end = address_end(arena, stamp, namespace, entry);

	if (!end)
		return false;
	write_text(writer, "\"");
	write_number(writer, task.index);
	write_text(writer, "\":\"");
	write_text(writer, entry->set);
	write_text(writer, "-");
	write_number(writer, entry->first_ordinal + task.index - entry->first_index);
	write_text(writer, end);
	return true;
}

static bool write_cluster(struct arena *arena, struct writer *writer, const struct stamp *stamp, const char *namespace,
			  struct task own)
{
	bool first = true;

	for (enum role role = ROLE_CHIEF; role < ROLE_COUNT; role++) {
		bool sparse = is_sparse(stamp, role, own);

		if (!lists_role(stamp, role, own))
			continue;
		write_text(writer, first ? "\"" : ",\"");
		write_text(writer, role_name(role));
		write_text(writer, sparse ? "\":{" : "\":[");
		if (sparse ? !write_own(arena, writer, stamp, namespace, own)
			   : !write_list(arena, writer, stamp, namespace, role))
			return false;
		write_text(writer, sparse ? "}" : "]");
		first = false;
	}
	return true;
}

char *tfconfig_render(struct arena *arena, const struct stamp *stamp, const char *namespace, struct task task)
{
	size_t size = tfconfig_size(stamp, namespace, task);
	char *value = arena_alloc(arena, size + 1);
	struct writer writer;

	if (!value)
		return NULL;
	writer = (struct writer){.at = value, .end = value + size};
	write_text(&writer, "{\"cluster\":{");
	if (!write_cluster(arena, &writer, stamp, namespace, task))
		return NULL;
	write_text(&writer, "},\"task\":{\"type\":\"");
	write_text(&writer, role_name(task.role));
	write_text(&writer, "\",\"index\":");
	write_number(&writer, task.index);
	write_text(&writer, stamp->grpc ? "},\"rpc_layer\":\"grpc\"}" : "}}");
	if (writer.overrun || writer.at != writer.end)
		return NULL;
	*writer.at = '\0';
	return value;
}
