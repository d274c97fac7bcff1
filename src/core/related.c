/* SPDX-License-Identifier: Apache-2.0 */
#include "core/related.h"

#include <string.h>

#include "base/names.h"

const char *related_kind_name(enum related_kind kind)
{
	switch (kind) {
	case RELATED_SERVICE:
		return "Service";
	case RELATED_STATEFUL_SET:
		return "StatefulSet";
	}
	return "";
}

static const struct related *find(const struct related_list *list, enum related_kind kind, const char *name)
{
	for (size_t i = 0; i < list->len; i++) {
		if (list->items[i].kind == kind && strcmp(list->items[i].name, name) == 0)
			return &list->items[i];
	}
	return NULL;
}

const struct related *related_want(struct related_list *list, struct arena *arena, const char *namespace,
				   enum related_kind kind, const char *name)
{
	const struct related *known = find(list, kind, name);

	if (known)
		return known;
	if (list->len == RELATED_MAX || !name_is_dns_label(namespace) || !name_is_dns_label(name))
		return NULL;
	if (!list->items)
		list->items = arena_calloc(arena, RELATED_MAX, sizeof(*list->items));
	if (!list->items)
		return NULL;
	list->namespace = namespace;
	list->items[list->len] = (struct related){.kind = kind, .name = name};
	return &list->items[list->len++];
}
