/* SPDX-License-Identifier: Apache-2.0 */
#include "net/suspended_review.h"

#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "sys/heap.h"

/*
 * Used by the lookup until suspended_review_resume, then by the serving thread. A lock in the library orders the two.
 */
struct suspended_review {
	struct budget *budget; /* borrowed */
	struct MHD_Connection *handle;
	struct related_list related;
	struct related items[RELATED_MAX];
	char *bytes[RELATED_MAX]; /* the json of the items; owned */
	char names[RELATED_MAX][DNS_LABEL_MAX + 1];
	char namespace[DNS_LABEL_MAX + 1];
};

/* Zeroed memory, charged to the budget; NULL if there is none. */
static void *take(struct budget *budget, size_t size)
{
	void *memory;

	if (!budget_take(budget, size))
		return NULL;
	memory = calloc(1, size);
	if (!memory)
		budget_give(budget, size);
	return memory;
}

static void give(struct budget *budget, void *memory, size_t size)
{
	free(memory);
	budget_give(budget, size);
	heap_freed(size);
}

/* Copied, as the names in the list end with the arena of the first review. */
static void copy_list(struct suspended_review *review, const struct related_list *wanted)
{
	memcpy(review->namespace, wanted->namespace, strlen(wanted->namespace) + 1);
	for (size_t i = 0; i < wanted->len; i++) {
		memcpy(review->names[i], wanted->items[i].name, strlen(wanted->items[i].name) + 1);
		review->items[i] = (struct related){.kind = wanted->items[i].kind, .name = review->names[i]};
	}
	review->related =
		(struct related_list){.namespace = review->namespace, .items = review->items, .len = wanted->len};
}

struct suspended_review *suspended_review_ask(const struct cluster_lookup *lookup, struct budget *budget,
					      struct MHD_Connection *handle, const struct related_list *wanted)
{
	struct suspended_review *review = take(budget, sizeof(*review));

	if (!review)
		return NULL;
	review->budget = budget;
	review->handle = handle;
	copy_list(review, wanted);
	/* In this order: the lookup may be done before it returns. */
	MHD_suspend_connection(handle);
	lookup->ask(lookup->context, review);
	return review;
}

void suspended_review_free(struct suspended_review *review)
{
	if (!review)
		return;
	for (size_t i = 0; i < review->related.len; i++) {
		if (review->bytes[i])
			give(review->budget, review->bytes[i], review->items[i].json_len + 1);
	}
	give(review->budget, review, sizeof(*review));
}

const struct related_list *suspended_review_related(const struct suspended_review *review)
{
	return &review->related;
}

struct related_list *suspended_review_result(struct suspended_review *review)
{
	return &review->related;
}

void suspended_review_found(struct suspended_review *review, size_t i, const char *json, size_t len)
{
	char *bytes = take(review->budget, len + 1);

	if (!bytes)
		return;
	memcpy(bytes, json, len);
	review->bytes[i] = bytes;
	review->items[i].json = bytes;
	review->items[i].json_len = len;
	review->items[i].state = RELATED_FOUND;
}

void suspended_review_missing(struct suspended_review *review, size_t i)
{
	review->items[i].state = RELATED_MISSING;
}

void suspended_review_resume(struct suspended_review *review)
{
	MHD_resume_connection(review->handle);
}
