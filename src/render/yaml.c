/* SPDX-License-Identifier: Apache-2.0 */
#include "render/yaml.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "render/scalar.h"
#include "render/yaml_events.h"

#define MERGE_KEY "<<"
#define MERGE_TAG "tag:yaml.org,2002:merge"

enum {
	MEMBERS_FIRST = 8,
	KEY_SHOWN = 100, /* bytes of a key in a note */
};

/* A node with a name. A scalar is kept next to its JSON, as an alias may use it as a key. */
struct anchor {
	const char *name;
	struct anchor *older;
	cJSON *item; /* NULL while it is open: an alias to it would contain itself */
	struct scalar_value scalar;
	bool is_scalar;
	size_t size; /* values in it, including itself */
};

struct member {
	const char *key;
	cJSON *item;
	size_t place; /* among all members of the mapping */
	unsigned line;
	bool merged; /* it came from a merge key */
};

/* A collection that is not closed yet. */
struct level {
	cJSON *item;
	unsigned column;       /* of a block; 0 in brackets */
	struct anchor *anchor; /* its own; NULL: none */
	size_t values_before;  /* the reader's values when it was opened */
	/* the rest is for mappings */
	struct member *members;
	size_t len;
	size_t capacity;
	const char *key; /* the key whose value comes next; NULL: a key comes next */
	bool merge;      /* that key is the merge key */
	unsigned line;   /* of that key */
};

struct reader {
	struct arena *arena;
	const char *name; /* of the file */
	struct notes *notes;
	struct error *err;
	struct yaml_events events;
	struct anchor *anchors; /* newest first */
	size_t anchors_len;
	size_t values; /* made so far */
	size_t copies; /* those of them that aliases made */
	struct level levels[YAML_DEPTH_MAX];
	size_t depth;
	cJSON *root;
};

/* Other characters end a name in YAML 1.1, but not in 1.2, so the two would read different things. */
static int check_anchor_name(struct reader *reader, const char *name)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";

	if (name[strspn(name, allowed)])
		return yaml_events_fail(&reader->events,
					"the name of an anchor may only have letters, digits, '-' and '_'");
	return 0;
}

/* Adds the anchor of the event's node; *ret_anchor is NULL if it has none. */
static int add_anchor(struct reader *reader, struct anchor **ret_anchor)
{
	struct anchor *anchor;
	const char *name;

	*ret_anchor = NULL;
	if (yaml_events_token(&reader->events, fy_event_get_anchor_token(reader->events.event), &name) < 0)
		return -1;
	if (!name)
		return 0;
	if (check_anchor_name(reader, name) < 0)
		return -1;
	if (++reader->anchors_len > YAML_ANCHORS_MAX)
		return yaml_events_fail(&reader->events, "there are more than 1,000 anchors");
	anchor = arena_calloc(reader->arena, 1, sizeof(*anchor));
	if (!anchor)
		return yaml_events_fail_for_memory(&reader->events);
	anchor->name = name;
	anchor->older = reader->anchors;
	reader->anchors = anchor;
	*ret_anchor = anchor;
	return 0;
}

static const struct anchor *find_anchor(const struct reader *reader, const char *name)
{
	const struct anchor *anchor = reader->anchors;

	while (anchor && strcmp(anchor->name, name) != 0)
		anchor = anchor->older;
	return anchor;
}

static struct level *top(struct reader *reader)
{
	return reader->depth ? &reader->levels[reader->depth - 1] : NULL;
}

/* The current mapping if its next value is a key; else NULL. */
static struct level *level_for_key(struct reader *reader)
{
	struct level *level = top(reader);

	return level && cJSON_IsObject(level->item) && !level->key ? level : NULL;
}

static int add_member(struct reader *reader, struct level *level, const char *key, cJSON *item, bool merged)
{
	if (level->len == level->capacity) {
		size_t capacity = level->capacity ? 2 * level->capacity : MEMBERS_FIRST;
		struct member *members = arena_calloc(reader->arena, capacity, sizeof(*members));

		if (!members)
			return yaml_events_fail_for_memory(&reader->events);
		if (level->len)
			memcpy(members, level->members, level->len * sizeof(*members));
		level->members = members;
		level->capacity = capacity;
	}
	level->members[level->len] =
		(struct member){.key = key, .item = item, .place = level->len, .line = level->line, .merged = merged};
	level->len++;
	return 0;
}

static int merge_mapping(struct reader *reader, struct level *level, const cJSON *mapping)
{
	cJSON *item = mapping->child;

	while (item) {
		cJSON *next = item->next;

		item->next = NULL;
		item->prev = NULL;
		if (add_member(reader, level, item->string, item, true) < 0)
			return -1;
		item = next;
	}
	return 0;
}

/* Merges the members of a mapping, or of each in a list, in which an earlier mapping wins over a later one. */
static int merge(struct reader *reader, struct level *level, const cJSON *value, bool alias)
{
	static const char message[] = "the value of a merge key (<<) must be a mapping or a list of mappings";
	const cJSON *item;

	if (!cJSON_IsObject(value) && (!cJSON_IsArray(value) || alias))
		return yaml_events_fail(&reader->events, message);
	if (!alias)
		value = cJSON_Duplicate(value, true); /* its members move, and an anchor may hold it */
	if (!value)
		return yaml_events_fail_for_memory(&reader->events);
	if (cJSON_IsObject(value))
		return merge_mapping(reader, level, value);
	/* Backward from the last, to which prev of the first points. */
	for (item = value->child ? value->child->prev : NULL; item; item = item == value->child ? NULL : item->prev) {
		if (!cJSON_IsObject(item))
			return yaml_events_fail(&reader->events, message);
		if (merge_mapping(reader, level, item) < 0)
			return -1;
	}
	return 0;
}

/* Adds a finished value to the current collection, or makes it the root. */
static int place(struct reader *reader, cJSON *item, bool alias)
{
	struct level *level = top(reader);
	const char *key;

	if (!item)
		return yaml_events_fail_for_memory(&reader->events);
	if (!level) {
		reader->root = item;
		return 0;
	}
	if (cJSON_IsArray(level->item)) {
		cJSON_AddItemToArray(level->item, item);
		return 0;
	}
	key = STEAL(level->key);
	return level->merge ? merge(reader, level, item, alias) : add_member(reader, level, key, item, false);
}

static int begin_member(struct reader *reader, struct level *level, const struct scalar_value *value, bool merges)
{
	level->line = reader->events.position.line;
	level->merge = merges;
	level->key = merges ? MERGE_KEY : scalar_key(reader->arena, value, reader->err);
	return level->key ? 0 : yaml_events_fail_here(&reader->events);
}

static bool is_merge_key(const struct scalar *scalar)
{
	if (strcmp(scalar->text, MERGE_KEY) != 0)
		return false;
	return scalar->tag ? strcmp(scalar->tag, "!") == 0 || strcmp(scalar->tag, MERGE_TAG) == 0 : scalar->plain;
}

static int read_scalar(struct reader *reader)
{
	struct fy_token *token = fy_event_get_token(reader->events.event);
	struct scalar scalar = {.plain = fy_token_scalar_style(token) == FYSS_PLAIN};
	struct scalar_value value;
	struct anchor *anchor;
	struct level *keys;
	cJSON *item;

	if (yaml_events_token(&reader->events, token, &scalar.text) < 0 ||
	    yaml_events_token(&reader->events, fy_event_get_tag_token(reader->events.event), &scalar.tag) < 0 ||
	    add_anchor(reader, &anchor) < 0)
		return -1;
	if (!scalar.text)
		scalar.text = "";
	if (scalar_resolve(reader->arena, &scalar, &value, reader->err) < 0)
		return yaml_events_fail_here(&reader->events);
	reader->values++;
	keys = level_for_key(reader);
	if (keys && !anchor)
		return begin_member(reader, keys, &value, is_merge_key(&scalar));
	item = scalar_json(&value, reader->err);
	if (!item)
		return yaml_events_fail_here(&reader->events);
	if (anchor) {
		anchor->item = item;
		anchor->scalar = value;
		anchor->is_scalar = true;
		anchor->size = 1;
	}
	if (keys)
		return begin_member(reader, keys, &value, is_merge_key(&scalar));
	return place(reader, item, false);
}

static int read_alias(struct reader *reader)
{
	const struct anchor *anchor;
	struct level *keys;
	const char *name;

	if (yaml_events_token(&reader->events, fy_event_get_token(reader->events.event), &name) < 0 ||
	    (name && check_anchor_name(reader, name) < 0))
		return -1;
	anchor = name ? find_anchor(reader, name) : NULL;
	if (!anchor) {
		error_set(reader->err, ERROR_INVALID, "there is no anchor %s above this alias", name ? name : "");
		return yaml_events_fail_here(&reader->events);
	}
	if (!anchor->item)
		return yaml_events_fail(&reader->events, "the alias is inside its own anchor");
	keys = level_for_key(reader);
	if (keys)
		return anchor->is_scalar ? begin_member(reader, keys, &anchor->scalar, false)
					 : yaml_events_fail(&reader->events, "a key must be a scalar");
	reader->copies += anchor->size;
	if (reader->copies > YAML_COPIES_MAX)
		return yaml_events_fail(&reader->events, "all aliases together stand for more than 200,000 values");
	reader->values += anchor->size;
	return place(reader, cJSON_Duplicate(anchor->item, true), true);
}

static int open_collection(struct reader *reader, cJSON *item)
{
	struct anchor *anchor;

	if (!item)
		return yaml_events_fail_for_memory(&reader->events);
	if (level_for_key(reader))
		return yaml_events_fail(&reader->events, "a key must be a scalar");
	if (reader->depth == YAML_DEPTH_MAX)
		return yaml_events_fail(&reader->events, "it is nested deeper than 500 levels");
	if (add_anchor(reader, &anchor) < 0)
		return -1;
	reader->values++;
	reader->levels[reader->depth++] = (struct level){
		.item = item,
		.column = fy_event_get_node_style(reader->events.event) == FYNS_BLOCK ? reader->events.position.column
										      : 0,
		.anchor = anchor,
		.values_before = reader->values,
	};
	return 0;
}

static int compare_members(const void *a, const void *b)
{
	const struct member *one = a;
	const struct member *other = b;
	int order = strcmp(one->key, other->key);

	return order ? order : one->place < other->place ? -1 : 1;
}

static int compare_places(const void *a, const void *b)
{
	const struct member *one = a;
	const struct member *other = b;

	return one->place < other->place ? -1 : one->place > other->place;
}

static void note_twice(struct reader *reader, const struct member *member)
{
	int len = (int)text_clip(member->key, strlen(member->key), KEY_SHOWN);

	notes_add(reader->notes, "%s:%u: duplicate key %.*s: the last one counts", reader->name, member->line, len,
		  member->key);
}

/* Of equal keys the last one counts. Returns how many are left, in the order of their places. */
static size_t drop_replaced(struct reader *reader, struct member *members, size_t len)
{
	size_t kept = 0;

	qsort(members, len, sizeof(*members), compare_members);
	for (size_t i = 0; i < len; i++) {
		bool replaced = i + 1 < len && strcmp(members[i].key, members[i + 1].key) == 0;

		if (replaced && !members[i].merged && !members[i + 1].merged)
			note_twice(reader, &members[i + 1]);
		if (!replaced)
			members[kept++] = members[i];
	}
	qsort(members, kept, sizeof(*members), compare_places);
	return kept;
}

static int close_collection(struct reader *reader)
{
	struct level *level = &reader->levels[--reader->depth];
	struct anchor *anchor = level->anchor;
	cJSON *item = level->item;

	if (level->len)
		level->len = drop_replaced(reader, level->members, level->len);
	for (size_t i = 0; i < level->len; i++)
		json_add(item, level->members[i].key, level->members[i].item);
	if (anchor) {
		anchor->item = item;
		anchor->size = reader->values - level->values_before + 1;
	}
	return place(reader, item, false);
}

/* Moves to the next event. */
static int next_event(struct reader *reader)
{
	const struct level *level = top(reader);
	struct yaml_place place = {
		.in_collection = level != NULL,
		.in_mapping = level && cJSON_IsObject(level->item),
		.is_key = level_for_key(reader) != NULL,
		.column = level ? level->column : 0,
	};

	return yaml_events_next(&reader->events, &place);
}

static int handle_event(struct reader *reader)
{
	switch (reader->events.event->type) {
	case FYET_MAPPING_START:
		return open_collection(reader, cJSON_CreateObject());
	case FYET_SEQUENCE_START:
		return open_collection(reader, cJSON_CreateArray());
	case FYET_MAPPING_END:
	case FYET_SEQUENCE_END:
		return close_collection(reader);
	case FYET_SCALAR:
		return read_scalar(reader);
	case FYET_ALIAS:
		return read_alias(reader);
	case FYET_NONE:
	case FYET_STREAM_START:
	case FYET_STREAM_END:
	case FYET_DOCUMENT_START:
	case FYET_DOCUMENT_END:
		break;
	}
	return 0;
}

/* Reads to the end of the document, or of the text if that has none. */
static int read_document(struct reader *reader)
{
	do {
		if (next_event(reader) < 0 || handle_event(reader) < 0)
			return -1;
		if (reader->arena->state != ARENA_OK)
			return yaml_events_fail_for_memory(&reader->events);
	} while (reader->events.event->type != FYET_DOCUMENT_END && reader->events.event->type != FYET_STREAM_END);
	return 0;
}

static int read_text(struct reader *reader)
{
	if (read_document(reader) < 0)
		return -1;
	if (reader->events.event->type == FYET_STREAM_END)
		return 0;
	if (next_event(reader) < 0)
		return -1;
	if (reader->events.event->type != FYET_STREAM_END)
		return yaml_events_fail(&reader->events, "another document starts without a line of --- before it");
	return 0;
}

static void close_reader(struct reader *reader)
{
	yaml_events_release(&reader->events);
}

int yaml_read(struct arena *arena, const struct yaml_text *text, struct notes *notes, cJSON **ret_tree,
	      struct error *err)
{
	CLEANUP(close_reader) struct reader reader = {.arena = arena, .name = text->name, .notes = notes, .err = err};
	struct arena *before;
	int result;

	if (yaml_events_init(&reader.events, arena, text, err) < 0)
		return -1;
	before = arena_enter(arena);
	result = read_text(&reader);
	arena_enter(before);
	if (result == 0)
		*ret_tree = cJSON_IsNull(reader.root) ? NULL : reader.root;
	return result;
}
