#include "net/advice.h"

#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "sys/heap.h"

/* The advisor's until advice_done, then the serving thread's: a lock of the library's orders the two. */
struct advice {
	struct budget *budget; /* borrowed */
	struct MHD_Connection *handle;
	struct related_list related;
	struct related items[RELATED_MAX];
	char *bytes[RELATED_MAX]; /* what the items' json is; owned */
	char names[RELATED_MAX][DNS_LABEL_MAX + 1];
	char namespace[DNS_LABEL_MAX + 1];
};

/* Memory that the budget is charged with; NULL where there is none. */
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

/* The names of the list end with the arena of the first review. */
static void copy_list(struct advice *advice, const struct related_list *wanted)
{
	memcpy(advice->namespace, wanted->namespace, strlen(wanted->namespace) + 1);
	for (size_t i = 0; i < wanted->len; i++) {
		memcpy(advice->names[i], wanted->items[i].name, strlen(wanted->items[i].name) + 1);
		advice->items[i] = (struct related){.kind = wanted->items[i].kind, .name = advice->names[i]};
	}
	advice->related =
		(struct related_list){.namespace = advice->namespace, .items = advice->items, .len = wanted->len};
}

struct advice *advice_ask(const struct advisor *advisor, struct budget *budget, struct MHD_Connection *handle,
			  const struct related_list *wanted)
{
	struct advice *advice = take(budget, sizeof(*advice));

	if (!advice)
		return NULL;
	advice->budget = budget;
	advice->handle = handle;
	copy_list(advice, wanted);
	/* In this order: the advisor may be done before it returns. */
	MHD_suspend_connection(handle);
	advisor->ask(advisor->context, advice);
	return advice;
}

void advice_free(struct advice *advice)
{
	if (!advice)
		return;
	for (size_t i = 0; i < advice->related.len; i++) {
		if (advice->bytes[i])
			give(advice->budget, advice->bytes[i], advice->items[i].json_len + 1);
	}
	give(advice->budget, advice, sizeof(*advice));
}

const struct related_list *advice_related(const struct advice *advice)
{
	return &advice->related;
}

struct related_list *advice_result(struct advice *advice)
{
	return &advice->related;
}

void advice_found(struct advice *advice, size_t i, const char *json, size_t len)
{
	char *bytes = take(advice->budget, len + 1);

	if (!bytes)
		return;
	memcpy(bytes, json, len);
	advice->bytes[i] = bytes;
	advice->items[i].json = bytes;
	advice->items[i].json_len = len;
	advice->items[i].state = RELATED_FOUND;
}

void advice_missing(struct advice *advice, size_t i)
{
	advice->items[i].state = RELATED_MISSING;
}

void advice_done(struct advice *advice)
{
	MHD_resume_connection(advice->handle);
}
