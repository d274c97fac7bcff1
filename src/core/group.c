/* SPDX-License-Identifier: Apache-2.0 */
#include "core/group.h"

#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "base/text.h"
#include "core/messages.h"

/* "statefulset" or "statefulset.service"; the text is cut at the dot. */
static bool parse_set(char *text, struct group_entry *entry)
{
	char *dot = strchr(text, '.');

	if (dot) {
		*dot = '\0';
		entry->service = dot + 1;
	}
	entry->set = text;
	return name_is_dns_label(entry->set) && (!dot || name_is_dns_label(entry->service));
}

static bool parse_count(const char *text, struct group_entry *entry)
{
	if (strcmp(text, "*") == 0) {
		entry->rest = true;
		return true;
	}
	return name_parse_decimal(text, GROUP_COUNT_MAX, &entry->count) && entry->count > 0;
}

/* Takes the entry's text apart, in place. */
static int parse_entry(struct arena *arena, char *text, struct group_entry *entry, struct error *err)
{
	const char *whole = text_quote(arena, text);
	char *colon = strrchr(text, ':');
	char *equals;

	if (!whole)
		return error_set(err, ERROR_NO_MEMORY, MESSAGE_NO_MEMORY);
	if (!text[0])
		return error_set(err, ERROR_INVALID, MESSAGE_GROUP_EMPTY_ENTRY);
	if (!colon)
		return error_set(err, ERROR_INVALID, MESSAGE_GROUP_NO_COUNT, whole);
	*colon = '\0';
	equals = strchr(text, '=');
	if (equals)
		*equals = '\0';
	if (!role_parse(text, &entry->role))
		return error_set(err, ERROR_INVALID, MESSAGE_GROUP_ROLE, whole, role_name(ROLE_CHIEF),
				 role_name(ROLE_WORKER), role_name(ROLE_PS), role_name(ROLE_EVALUATOR));
	if (equals && !parse_set(equals + 1, entry))
		return error_set(err, ERROR_INVALID, MESSAGE_GROUP_SET, whole);
	if (!parse_count(colon + 1, entry))
		return error_set(err, ERROR_INVALID, MESSAGE_GROUP_COUNT, whole, GROUP_COUNT_MAX);
	return 0;
}

static size_t count_entries(const char *text)
{
	size_t count = 1;

	for (; *text; text++)
		count += *text == ',';
	return count;
}

int group_parse(struct arena *arena, const char *text, struct group *ret_group, struct error *err)
{
	struct group group = {.len = count_entries(text)};
	bool rest = false;

	if (group.len > GROUP_ENTRIES_MAX)
		return error_set(err, ERROR_INVALID, MESSAGE_GROUP_TOO_MANY, group.len, GROUP_ENTRIES_MAX);
	group.entries = arena_calloc(arena, group.len, sizeof(*group.entries));
	if (!group.entries)
		return error_set(err, ERROR_NO_MEMORY, MESSAGE_NO_MEMORY);
	for (size_t i = 0; i < group.len; i++) {
		size_t len = strcspn(text, ",");
		const char *begin = text;
		size_t trimmed = text_trim(&begin, len);
		char *entry = arena_strndup(arena, begin, trimmed);

		if (!entry)
			return error_set(err, ERROR_NO_MEMORY, MESSAGE_NO_MEMORY);
		if (parse_entry(arena, entry, &group.entries[i], err) < 0)
			return -1;
		if (rest && group.entries[i].rest)
			return error_set(err, ERROR_INVALID, MESSAGE_GROUP_TWO_RESTS);
		rest = rest || group.entries[i].rest;
		text += len + 1;
	}
	*ret_group = group;
	return 0;
}

int group_of_workers(struct arena *arena, struct group *ret_group, struct error *err)
{
	struct group_entry *entry = arena_calloc(arena, 1, sizeof(*entry));

	if (!entry)
		return error_set(err, ERROR_NO_MEMORY, MESSAGE_NO_MEMORY);
	entry->role = ROLE_WORKER;
	entry->rest = true;
	*ret_group = (struct group){.entries = entry, .len = 1};
	return 0;
}

bool group_entry_is_first_of_set(const struct group *group, size_t i)
{
	for (size_t j = 0; j < i; j++) {
		if (strcmp(group->entries[j].set, group->entries[i].set) == 0)
			return false;
	}
	return true;
}

bool group_spans_sets(const struct group *group, const char *set)
{
	for (size_t i = 0; i < group->len; i++) {
		if (group->entries[i].set && strcmp(group->entries[i].set, set) != 0)
			return true;
	}
	return false;
}

/* What a group over several sets must hold, so that the same line means the same on each of them. */
static int check_several_sets(const struct group *group, const struct group_owner *owner, struct error *err)
{
	bool own = false;

	for (size_t i = 0; i < group->len; i++) {
		const struct group_entry *entry = &group->entries[i];

		if (!entry->set)
			return error_set(err, ERROR_INVALID, MESSAGE_GROUP_UNNAMED, role_name(entry->role));
		if (entry->rest)
			return error_set(err, ERROR_INVALID, MESSAGE_GROUP_REST_OF_SEVERAL);
		own = own || strcmp(entry->set, owner->set) == 0;
	}
	if (!own)
		return error_set(err, ERROR_INVALID, MESSAGE_GROUP_WITHOUT_OWN, owner->set);
	if (owner->first_ordinal != 0)
		return error_set(err, ERROR_INVALID, MESSAGE_GROUP_START, owner->first_ordinal);
	return 0;
}

static int name_sets(struct group *group, const struct group_owner *owner, struct error *err)
{
	for (size_t i = 0; i < group->len; i++) {
		struct group_entry *entry = &group->entries[i];

		if (!entry->set)
			entry->set = owner->set;
		if (!entry->service)
			entry->service = owner->service;
		if (strcmp(entry->set, owner->set) == 0 && strcmp(entry->service, owner->service) != 0)
			return error_set(err, ERROR_INVALID, MESSAGE_GROUP_OWN_SERVICE, entry->service, entry->set,
					 owner->service);
	}
	return 0;
}

/* A pod has one address, so a set has one Service. */
static int check_services(const struct group *group, struct error *err)
{
	for (size_t i = 0; i < group->len; i++) {
		const struct group_entry *entry = &group->entries[i];

		for (size_t j = 0; j < i; j++) {
			if (strcmp(entry->set, group->entries[j].set) == 0 &&
			    strcmp(entry->service, group->entries[j].service) != 0)
				return error_set(err, ERROR_INVALID, MESSAGE_GROUP_TWO_SERVICES, entry->set,
						 group->entries[j].service, entry->service);
		}
	}
	return 0;
}

/* Gives "*" what the own entries leave of the replicas, and checks that they add up. */
static int share_replicas(struct group *group, const struct group_owner *owner, bool *ret_follows, struct error *err)
{
	unsigned written = group_set_size(group, owner->set);

	*ret_follows = false;
	for (size_t i = 0; i < group->len; i++) {
		struct group_entry *entry = &group->entries[i];

		if (!entry->rest)
			continue;
		if (written > owner->replicas)
			return error_set(err, ERROR_INVALID, MESSAGE_GROUP_NO_REST, owner->set, written,
					 owner->replicas);
		entry->count = owner->replicas - written;
		/* There is one chief and one evaluator at the most: a group that would grow by them can't follow. */
		*ret_follows = entry->role == ROLE_WORKER || entry->role == ROLE_PS;
		return 0;
	}
	if (written != owner->replicas)
		return error_set(err, ERROR_INVALID, MESSAGE_GROUP_SUM, owner->set, written, owner->replicas);
	return 0;
}

/* Leaves out entries of no pods, and joins neighbours of one role and set. */
static void tidy(struct group *group)
{
	size_t len = 0;

	for (size_t i = 0; i < group->len; i++) {
		struct group_entry *entry = &group->entries[i];
		struct group_entry *before = len ? &group->entries[len - 1] : NULL;

		entry->rest = false;
		if (entry->count == 0)
			continue;
		if (before && before->role == entry->role && strcmp(before->set, entry->set) == 0 &&
		    strcmp(before->service, entry->service) == 0)
			before->count += entry->count;
		else
			group->entries[len++] = *entry;
	}
	group->len = len;
}

int group_resolve(struct group *group, const struct group_owner *owner, bool *ret_follows, struct error *err)
{
	bool several = group_spans_sets(group, owner->set);
	bool follows;

	if (several && check_several_sets(group, owner, err) < 0)
		return -1;
	if (name_sets(group, owner, err) < 0 || share_replicas(group, owner, &follows, err) < 0)
		return -1;
	tidy(group);
	if (group_check(group, err) < 0)
		return -1;
	group_number(group, owner->first_ordinal);
	*ret_follows = follows;
	return 0;
}

int group_check(const struct group *group, struct error *err)
{
	unsigned chiefs = group_role_size(group, ROLE_CHIEF);
	unsigned evaluators = group_role_size(group, ROLE_EVALUATOR);

	if (chiefs > 1)
		return error_set(err, ERROR_INVALID, MESSAGE_GROUP_CHIEFS, chiefs);
	if (evaluators > 1)
		return error_set(err, ERROR_INVALID, MESSAGE_GROUP_EVALUATORS, evaluators);
	if (evaluators == group_size(group))
		return error_set(err, ERROR_INVALID, MESSAGE_GROUP_EVALUATOR_ALONE);
	if (group_role_size(group, ROLE_PS) > 0 && group_role_size(group, ROLE_WORKER) == 0)
		return error_set(err, ERROR_INVALID, MESSAGE_GROUP_PS_ALONE);
	return check_services(group, err);
}

void group_number(struct group *group, unsigned start)
{
	unsigned next_index[ROLE_COUNT] = {0};

	for (size_t i = 0; i < group->len; i++) {
		struct group_entry *entry = &group->entries[i];

		entry->first_ordinal = start;
		for (size_t j = 0; j < i; j++) {
			if (strcmp(group->entries[j].set, entry->set) == 0)
				entry->first_ordinal += group->entries[j].count;
		}
		entry->first_index = next_index[entry->role];
		next_index[entry->role] += entry->count;
	}
}

const char *group_format(struct arena *arena, const struct group *group)
{
	size_t size = 1;
	size_t len = 0;
	char *text;

	for (size_t i = 0; i < group->len; i++)
		size += strlen(group->entries[i].set) + strlen(group->entries[i].service) +
			sizeof(",evaluator=.:4294967295");
	text = arena_alloc(arena, size);
	if (!text)
		return NULL;
	text[0] = '\0';
	for (size_t i = 0; i < group->len; i++) {
		const struct group_entry *entry = &group->entries[i];

		len += (size_t)snprintf(text + len, size - len, "%s%s=%s.%s:%u", i ? "," : "", role_name(entry->role),
					entry->set, entry->service, entry->count);
	}
	return text;
}

bool group_find(const struct group *group, const char *set, unsigned ordinal, struct task *ret_task)
{
	for (size_t i = 0; i < group->len; i++) {
		const struct group_entry *entry = &group->entries[i];

		if (strcmp(entry->set, set) != 0 || ordinal < entry->first_ordinal ||
		    ordinal - entry->first_ordinal >= entry->count)
			continue;
		ret_task->role = entry->role;
		ret_task->index = entry->first_index + (ordinal - entry->first_ordinal);
		return true;
	}
	return false;
}

const struct group_entry *group_entry_of(const struct group *group, const char *set)
{
	for (size_t i = 0; i < group->len; i++) {
		if (strcmp(group->entries[i].set, set) == 0)
			return &group->entries[i];
	}
	return NULL;
}

bool group_equal(const struct group *a, const struct group *b)
{
	if (a->len != b->len)
		return false;
	for (size_t i = 0; i < a->len; i++) {
		const struct group_entry *x = &a->entries[i];
		const struct group_entry *y = &b->entries[i];

		if (x->role != y->role || x->count != y->count || strcmp(x->set, y->set) != 0 ||
		    strcmp(x->service, y->service) != 0)
			return false;
	}
	return true;
}

unsigned group_role_size(const struct group *group, enum role role)
{
	unsigned size = 0;

	for (size_t i = 0; i < group->len; i++)
		size += group->entries[i].role == role ? group->entries[i].count : 0;
	return size;
}

unsigned group_set_size(const struct group *group, const char *set)
{
	unsigned size = 0;

	for (size_t i = 0; i < group->len; i++)
		size += strcmp(group->entries[i].set, set) == 0 ? group->entries[i].count : 0;
	return size;
}

unsigned group_size(const struct group *group)
{
	unsigned size = 0;

	for (size_t i = 0; i < group->len; i++)
		size += group->entries[i].count;
	return size;
}
