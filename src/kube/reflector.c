#include "kube/reflector.h"

#include <limits.h>
#include <string.h>

#include "core/buf.h"
#include "core/json.h"
#include "kube/clock.h"
#include "kube/object.h"

enum {
	PAGE = 25, /* objects: some hundred KiB */
	ANSWER_MAX = 2 * 1024 * 1024,
	FIRST_BLOCK = 64 * 1024,
	OBJECT_MAX = 6 * 1024 * 1024, /* bytes of a page, or of an object, as a tree */
	/* Seconds after which the API server ends a watch. */
	LIFE_MIN = 240,
	LIFE_MAX = 300,
	STEADY = 5000, /* milliseconds: a watch that ends earlier than that might do so for ever */
	BACKOFF_BASE = 1000,
	BACKOFF_CAP = 60 * 1000,
	GONE = 410,
};

/* Of objects nothing but their metadata, which is small whatever they are. */
#define METADATA_ONLY "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"

/* A page of the list under way. */
struct page {
	struct buf answer;
	char next[2048]; /* the place behind it, "" behind the last */
	char version[64];
};

int reflector_init(struct reflector *reflector, struct kube_client *client, const char *path,
		   const struct reflector_handler *handler, struct budget *budget, struct error *err)
{
	*reflector = (struct reflector){
		.client = client,
		.path = path,
		.handler = *handler,
		.backoff = {.base = BACKOFF_BASE, .cap = BACKOFF_CAP},
		.limit = PAGE,
	};
	if (arena_init(&reflector->arena, FIRST_BLOCK, OBJECT_MAX, budget) < 0)
		return error_set(err, ERROR_NO_MEMORY, "no memory to follow objects");
	return 0;
}

void reflector_release(struct reflector *reflector)
{
	kube_client_end_stream(reflector->client);
	arena_release(&reflector->arena);
}

/* Copies a text that goes into a URL as it is; "" where there is none or it does not. */
static void copy_plain(char *out, size_t size, const char *text)
{
	out[0] = '\0';
	if (text && strlen(text) < size && object_is_plain(text))
		memcpy(out, text, strlen(text) + 1);
}

static enum kube_status read_page(struct reflector *reflector, struct page *page, bool metadata_only, struct error *err)
{
	struct buf path CLEANUP(buf_release) = {0};
	struct kube_request request = {.method = "GET", .accept = metadata_only ? METADATA_ONLY : NULL};

	buf_init(&path, PATH_MAX);
	buf_addf(&path, "%s?limit=%u%s%s", reflector->path, reflector->limit, page->next[0] ? "&continue=" : "",
		 page->next);
	request.path = buf_string(&path);
	return kube_client_send(reflector->client, &request, &page->answer, err);
}

/* False where memory does not suffice. */
static bool show_page(struct reflector *reflector, struct page *page, bool metadata_only, struct error *err)
{
	const cJSON *tree = json_parse(&reflector->arena, buf_string(&page->answer), page->answer.len, err);
	const cJSON *metadata = json_get_object(tree, "metadata");
	const cJSON *item;

	if (!tree)
		return false;
	if (metadata_only)
		reflector->skipped++;
	else
		cJSON_ArrayForEach (item, json_get_array(tree, "items"))
			reflector->handler.seen(reflector->handler.context, item);
	copy_plain(page->next, sizeof(page->next), json_get_string(metadata, "continue"));
	copy_plain(page->version, sizeof(page->version), json_get_string(metadata, "resourceVersion"));
	return true;
}

/* Reads the next page and shows it. KUBE_OK with fewer objects a page where it did not fit, and then nothing is shown. */
static enum kube_status take_page(struct reflector *reflector, struct page *page, bool *ret_metadata_only,
				  struct error *err)
{
	const bool metadata_only = *ret_metadata_only;
	enum kube_status status = read_page(reflector, page, metadata_only, err);
	struct arena *before;
	bool shown;

	*ret_metadata_only = false;
	if (status == KUBE_OK) {
		before = arena_enter(&reflector->arena);
		shown = show_page(reflector, page, metadata_only, err);
		arena_enter(before);
		arena_reset(&reflector->arena);
		buf_release(&page->answer);
		if (shown || err->code != ERROR_NO_MEMORY)
			return shown ? KUBE_OK : KUBE_UNAVAILABLE;
	} else if (status != KUBE_TOO_LARGE) {
		return status;
	}
	if (metadata_only)
		return KUBE_UNAVAILABLE;
	*ret_metadata_only = reflector->limit == 1;
	reflector->limit = reflector->limit / 4 + (reflector->limit < 4);
	return KUBE_OK;
}

static enum kube_status list(struct reflector *reflector, struct error *err)
{
	struct page page = {.next = ""};
	enum kube_status status;
	bool metadata_only = false;

	buf_init(&page.answer, ANSWER_MAX);
	reflector->limit = PAGE;
	reflector->handler.list_begins(reflector->handler.context);
	do {
		status = take_page(reflector, &page, &metadata_only, err);
	} while (status == KUBE_OK && (page.next[0] || !page.version[0] || metadata_only));
	buf_release(&page.answer);
	if (status != KUBE_OK)
		return status;
	memcpy(reflector->version, page.version, sizeof(page.version));
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
	if (version && strlen(version) < sizeof(reflector->version) && object_is_plain(version))
		memcpy(reflector->version, version, strlen(version) + 1);
}

static void take_line(void *context, const char *line, size_t len)
{
	struct reflector *reflector = context;
	struct arena *before = arena_enter(&reflector->arena);
	const cJSON *event = json_parse(&reflector->arena, line, len, NULL);

	if (event)
		take_event(reflector, event);
	else
		reflector->skipped++;
	arena_enter(before);
	arena_reset(&reflector->arena);
}

static enum kube_status open_watch(struct reflector *reflector, uint64_t now, struct error *err)
{
	const struct kube_lines lines = {.context = reflector, .take = take_line};
	const unsigned life = LIFE_MIN + kube_random() % (LIFE_MAX - LIFE_MIN + 1);
	struct buf path CLEANUP(buf_release) = {0};

	buf_init(&path, PATH_MAX);
	buf_addf(&path, "%s?watch=1&allowWatchBookmarks=true&resourceVersion=%s&timeoutSeconds=%u", reflector->path,
		 reflector->version, life);
	reflector->expired = reflector->broken = false;
	reflector->opened_at = now;
	if (kube_client_stream(reflector->client, buf_string(&path), life, &lines, err) < 0)
		return KUBE_UNAVAILABLE;
	reflector->watching = true;
	return KUBE_OK;
}

static void plan_next(struct reflector *reflector, uint64_t now)
{
	reflector->due = now + backoff_next(&reflector->backoff, kube_random());
}

/* Sees to the end of a watch. */
static enum kube_status end_watch(struct reflector *reflector, enum kube_status status, uint64_t now, struct error *err)
{
	const bool in_order = status == KUBE_OK && !reflector->broken;

	kube_client_end_stream(reflector->client);
	reflector->watching = false;
	if (now - reflector->opened_at >= STEADY)
		backoff_reset(&reflector->backoff);
	if (reflector->expired || status == KUBE_GONE) {
		reflector->version[0] = '\0';
		plan_next(reflector, now);
		return KUBE_OK;
	}
	if (in_order && reflector->backoff.failures == 0) {
		reflector->due = now;
		reflector->backoff.failures = 1;
		return KUBE_OK;
	}
	plan_next(reflector, now);
	if (in_order)
		return KUBE_OK;
	if (reflector->broken)
		error_set(err, ERROR_INVALID, "GET %s: the API server ended the watch with an error", reflector->path);
	return status == KUBE_OK ? KUBE_UNAVAILABLE : status;
}

enum kube_status reflector_tend(struct reflector *reflector, uint64_t now, struct error *err)
{
	enum kube_status status;

	if (reflector->watching) {
		const bool open = kube_client_streams(reflector->client, &status, err);

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
		status = open_watch(reflector, kube_milliseconds(), err);
	if (status != KUBE_OK)
		plan_next(reflector, now);
	return status == KUBE_GONE ? KUBE_OK : status;
}

uint64_t reflector_next(const struct reflector *reflector)
{
	return reflector->watching ? UINT64_MAX : reflector->due;
}
