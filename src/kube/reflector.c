/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/reflector.h"

#include <limits.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "kube/watch.h"
#include "sys/clock.h"
#include "sys/random.h"

enum {
	PAGE = 25, /* objects: a few hundred KiB */
	ANSWER_MAX = 2 * 1024 * 1024,
	FIRST_BLOCK = 64 * 1024,
	TREE_MAX = 4 * 1024 * 1024,      /* bytes of a page, or of an object, as a tree */
	LIST_EVERY = 6 * 60 * 60 * 1000, /* milliseconds: in case anything was ever missed */
	BACKOFF_BASE = 1000,
	BACKOFF_CAP = 60 * 1000,
	GONE = 410,
};

/* Asks for the objects' metadata alone, which is small however large they are. */
#define METADATA_ONLY "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"

/* A page of the list under way. */
struct page {
	struct buf answer;
	char next[2048]; /* the place after it; "" after the last page */
	char version[OBJECT_VERSION_SIZE];
	unsigned limit;     /* objects to ask for */
	bool shown;         /* a page was shown, so `next` is valid */
	bool metadata_only; /* the next request asks only for that */
	bool too_large;     /* the page that was requested */
};

int reflector_init(struct reflector *reflector, struct kube_client *client, const char *path,
		   const struct reflector_handler *handler, struct budget *budget, struct error *err)
{
	*reflector = (struct reflector){
		.client = client,
		.path = path,
		.handler = *handler,
		.backoff = {.base = BACKOFF_BASE, .cap = BACKOFF_CAP},
	};
	if (arena_init(&reflector->arena, FIRST_BLOCK, TREE_MAX, budget) < 0)
		return error_set(err, ERROR_NO_MEMORY, "no memory to follow objects");
	return 0;
}

void reflector_release(struct reflector *reflector)
{
	kube_client_close_stream(reflector->client);
	arena_release(&reflector->arena);
}

static enum kube_status read_page(struct reflector *reflector, struct page *page, struct error *err)
{
	CLEANUP(buf_release) struct buf path = {0};
	struct kube_request request = {.method = "GET", .accept = page->metadata_only ? METADATA_ONLY : NULL};

	buf_init(&path, PATH_MAX);
	buf_addf(&path, "%s?limit=%u%s%s", reflector->path, page->limit, page->next[0] ? "&continue=" : "", page->next);
	if (path.failed) {
		error_set(err, ERROR_NO_MEMORY, "no memory to list objects");
		return KUBE_UNAVAILABLE;
	}
	request.path = buf_string(&path);
	return kube_client_send(reflector->client, &request, &page->answer, err);
}

static void show_items(struct reflector *reflector, const cJSON *items)
{
	const cJSON *item;

	cJSON_ArrayForEach (item, items) {
		reflector->handler.seen(reflector->handler.context, item);
	}
}

/* -1 with ERROR_NO_MEMORY if it does not fit; some of its objects may have been shown then. */
static int show_page(struct reflector *reflector, struct page *page, struct error *err)
{
	const cJSON *tree = json_parse(&reflector->arena, buf_string(&page->answer), page->answer.len, err);
	const cJSON *metadata = json_get_object(tree, "metadata");
	const char *place = json_get_string(metadata, "continue");
	char next[sizeof(page->next)] = "";

	if (!tree)
		return -1;
	if ((place && !object_copy_plain(next, sizeof(next), place)) ||
	    !object_copy_plain(page->version, sizeof(page->version), json_get_string(metadata, "resourceVersion")) ||
	    !page->version[0])
		return error_set(err, ERROR_INVALID, "GET %s: the answer is not a list", reflector->path);
	if (page->metadata_only)
		reflector->skipped++;
	else
		show_items(reflector, json_get_array(tree, "items"));
	if (reflector->arena.state != ARENA_OK)
		return error_set(err, ERROR_NO_MEMORY, "GET %s: no memory for what it lists", reflector->path);
	memcpy(page->next, next, sizeof(next));
	return 0;
}

/* Whether the page in the answer was shown; else err says why not. */
static bool use_page(struct reflector *reflector, struct page *page, struct error *err)
{
	struct arena *before = arena_enter(&reflector->arena);
	const bool shown = show_page(reflector, page, err) == 0;
	const bool too_large = reflector->arena.state == ARENA_OVER_MAX;

	arena_enter(before);
	arena_reset(&reflector->arena);
	buf_release(&page->answer);
	page->too_large = !shown && too_large;
	return shown;
}

/* Asks for fewer objects a page, and in the end for the metadata of one. False if there is nothing left to try. */
static bool shrink_page(struct page *page)
{
	if (page->metadata_only)
		return false;
	page->metadata_only = page->limit == 1;
	page->limit = page->limit / 4 + (page->limit < 4);
	return true;
}

static enum kube_status list(struct reflector *reflector, struct error *err)
{
	struct page page = {.limit = PAGE};
	enum kube_status status;

	buf_init(&page.answer, ANSWER_MAX);
	reflector->handler.list_begins(reflector->handler.context);
	do {
		status = read_page(reflector, &page, err);
		page.too_large = status == KUBE_TOO_LARGE;
		if (status == KUBE_OK && use_page(reflector, &page, err)) {
			page.shown = true;
			page.metadata_only = false;
			page.limit = page.limit < PAGE / 2 ? page.limit * 2 : PAGE;
		} else if (!page.too_large || !shrink_page(&page)) {
			buf_release(&page.answer);
			return status == KUBE_OK ? KUBE_UNAVAILABLE : status;
		}
	} while (!page.shown || page.next[0] || page.too_large);
	memcpy(reflector->version, page.version, sizeof(page.version));
	reflector->listed_at = clock_milliseconds();
	reflector->handler.list_ends(reflector->handler.context);
	return KUBE_OK;
}

static void take_event(struct reflector *reflector, const cJSON *event)
{
	const char *type = json_get_string(event, "type");
	const cJSON *object = json_get_object(event, "object");
	const char *version = json_get_string(json_get_object(object, "metadata"), "resourceVersion");
	unsigned code = 0;

	if (!type || !object)
		return;
	if (strcmp(type, "ERROR") == 0) {
		reflector->expired = json_get_unsigned(object, "code", 0, INT_MAX, &code) && code == GONE;
		reflector->broken = !reflector->expired;
		return;
	}
	if (strcmp(type, "DELETED") == 0)
		reflector->handler.deleted(reflector->handler.context, object);
	else if (strcmp(type, "BOOKMARK") != 0)
		reflector->handler.seen(reflector->handler.context, object);
	(void)object_copy_plain(reflector->version, sizeof(reflector->version), version);
}

static void take_line(void *context, const char *line, size_t len)
{
	struct reflector *reflector = context;
	struct arena *before = arena_enter(&reflector->arena);
	const cJSON *event = line ? json_parse(&reflector->arena, line, len, NULL) : NULL;

	if (event)
		take_event(reflector, event);
	if (reflector->arena.state == ARENA_NO_BUDGET)
		reflector->expired = true; /* an event was lost: only a list shows what has changed */
	else if (!event || reflector->arena.state != ARENA_OK)
		reflector->skipped++;
	arena_enter(before);
	arena_reset(&reflector->arena);
}

static enum kube_status open_watch(struct reflector *reflector, uint64_t now, struct error *err)
{
	struct kube_stream_request request = {.seconds = watch_life(),
					      .lines = {.context = reflector, .take = take_line}};
	CLEANUP(buf_release) struct buf path = {0};

	buf_init(&path, PATH_MAX);
	buf_addf(&path, "%s?watch=1&allowWatchBookmarks=true&resourceVersion=%s&timeoutSeconds=%u", reflector->path,
		 reflector->version, request.seconds);
	reflector->expired = reflector->broken = false;
	reflector->opened_at = now;
	if (path.failed) {
		error_set(err, ERROR_NO_MEMORY, "no memory for a watch");
		return KUBE_UNAVAILABLE;
	}
	request.path = buf_string(&path);
	if (kube_client_open_stream(reflector->client, &request, err) < 0)
		return KUBE_UNAVAILABLE;
	reflector->watching = true;
	return KUBE_OK;
}

static void plan_next(struct reflector *reflector, bool in_order)
{
	reflector->due = clock_milliseconds() + backoff_after_end(&reflector->backoff, in_order, random_number());
}

/*
 * Handles the end of a watch. Its version is dropped, so that a list follows, if it may be the cause, and now and then.
 */
static enum kube_status end_watch(struct reflector *reflector, enum kube_status status, uint64_t now, struct error *err)
{
	const bool in_order = status == KUBE_OK && !reflector->broken && !reflector->expired;

	kube_client_close_stream(reflector->client);
	reflector->watching = false;
	if (reflector->expired || reflector->broken || status == KUBE_GONE || status == KUBE_REFUSED ||
	    now - reflector->listed_at >= LIST_EVERY)
		reflector->version[0] = '\0';
	if (now - reflector->opened_at >= WATCH_STEADY)
		backoff_reset(&reflector->backoff);
	plan_next(reflector, in_order);
	if (in_order || reflector->expired || status == KUBE_GONE)
		return KUBE_OK;
	if (status != KUBE_OK)
		return status;
	error_set(err, ERROR_INVALID, "GET %s: the API server ended the watch with an error", reflector->path);
	return KUBE_UNAVAILABLE;
}

enum kube_status reflector_tend(struct reflector *reflector, uint64_t now, struct error *err)
{
	enum kube_status status;

	if (reflector->watching) {
		const bool open = kube_client_stream_is_open(reflector->client, &status, err);

		if (open && !reflector->expired && !reflector->broken)
			return KUBE_OK;
		status = end_watch(reflector, open ? KUBE_OK : status, now, err);
		if (status != KUBE_OK)
			return status;
	}
	if (now < reflector->due)
		return KUBE_OK;
	status = reflector->version[0] ? KUBE_OK : list(reflector, err);
	if (status == KUBE_OK)
		status = open_watch(reflector, clock_milliseconds(), err);
	if (status != KUBE_OK)
		plan_next(reflector, false);
	return status == KUBE_GONE ? KUBE_OK : status;
}

uint64_t reflector_next(const struct reflector *reflector)
{
	return reflector->watching ? UINT64_MAX : reflector->due;
}
