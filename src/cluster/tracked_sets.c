/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/tracked_sets.h"

#include <stdlib.h>
#include <string.h>

static int compare(const struct tracked_set *set, const char *namespace, const char *name)
{
	const int order = strcmp(set->namespace, namespace);

	return order ? order : strcmp(set->name, name);
}

/* Where the set is, or would be. */
static size_t place_of(const struct tracked_sets *all, const char *namespace, const char *name)
{
	size_t low = 0;
	size_t high = all->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (compare(all->sets[middle], namespace, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_at(const struct tracked_sets *all, size_t place, const char *namespace, const char *name)
{
	return place < all->count && compare(all->sets[place], namespace, name) == 0;
}

static void free_one(struct tracked_set *set)
{
	if (!set)
		return;
	free(set->namespace);
	free(set->name);
	free(set);
}

static struct tracked_set *make_one(const char *namespace, const char *name)
{
	struct tracked_set *set;

	if (strlen(namespace) > TRACKED_SETS_NAME_MAX || strlen(name) > TRACKED_SETS_NAME_MAX)
		return NULL;
	set = calloc(1, sizeof(*set));
	if (!set)
		return NULL;
	set->namespace = strdup(namespace);
	set->name = strdup(name);
	if (set->namespace && set->name)
		return set;
	free_one(set);
	return NULL;
}

void tracked_sets_release(struct tracked_sets *all)
{
	for (size_t i = 0; i < all->count; i++)
		free_one(all->sets[i]);
	free(all->sets);
	*all = (struct tracked_sets){0};
}

struct tracked_set *tracked_sets_find(const struct tracked_sets *all, const char *namespace, const char *name)
{
	const size_t place = place_of(all, namespace, name);

	return is_at(all, place, namespace, name) ? all->sets[place] : NULL;
}

static bool make_room(struct tracked_sets *all)
{
	const size_t capacity = all->capacity ? all->capacity * 2 : 16;
	struct tracked_set **sets;

	if (all->count < all->capacity)
		return true;
	if (all->count >= TRACKED_SETS_MAX)
		return false;
	sets = realloc(all->sets, capacity * sizeof(struct tracked_set *));
	if (!sets)
		return false;
	all->sets = sets;
	all->capacity = capacity;
	return true;
}

struct tracked_set *tracked_sets_add(struct tracked_sets *all, const char *namespace, const char *name)
{
	const size_t place = place_of(all, namespace, name);
	struct tracked_set *set;

	if (is_at(all, place, namespace, name))
		return all->sets[place];
	set = make_room(all) ? make_one(namespace, name) : NULL;
	if (!set)
		return NULL;
	memmove(&all->sets[place + 1], &all->sets[place], (all->count - place) * sizeof(struct tracked_set *));
	all->sets[place] = set;
	all->count++;
	return set;
}

void tracked_sets_drop(struct tracked_sets *all, const char *namespace, const char *name)
{
	const size_t place = place_of(all, namespace, name);

	if (!is_at(all, place, namespace, name))
		return;
	free_one(all->sets[place]);
	all->count--;
	memmove(&all->sets[place], &all->sets[place + 1], (all->count - place) * sizeof(struct tracked_set *));
}

void tracked_sets_begin(struct tracked_sets *all)
{
	for (size_t i = 0; i < all->count; i++)
		all->sets[i]->seen = false;
}

void tracked_sets_sweep(struct tracked_sets *all)
{
	size_t kept = 0;

	for (size_t i = 0; i < all->count; i++) {
		if (all->sets[i]->seen)
			all->sets[kept++] = all->sets[i];
		else
			free_one(all->sets[i]);
	}
	all->count = kept;
}

struct tracked_set *tracked_sets_first(const struct tracked_sets *all, enum concern_kind *ret_kind)
{
	struct tracked_set *first = NULL;
	uint64_t earliest = UINT64_MAX;

	for (size_t i = 0; i < all->count; i++) {
		for (enum concern_kind kind = CONCERN_STAMP; kind < CONCERN_KINDS; kind++) {
			const uint64_t due = all->sets[i]->concerns[kind].due;

			if (due == 0 || due >= earliest)
				continue;
			first = all->sets[i];
			earliest = due;
			*ret_kind = kind;
		}
	}
	return first;
}
