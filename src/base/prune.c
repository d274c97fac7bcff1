/* SPDX-License-Identifier: Apache-2.0 */
#include "base/prune.h"

#include <string.h>

#include "base/scan.h"

enum {
	SMALL_TEXT = 64 * 1024, /* bytes: not worth a pass that only counts what is kept */
	LITTLE_PART = 16,       /* a large text is copied only if a 16th of it or more is left out */
};

/* A walk over the text. Bytes that are kept are copied late, a whole run at once. */
struct walk {
	struct scan scan;
	const char *run; /* where the run of bytes to copy starts; NULL: what is read now is left out */
	char *out;       /* NULL: bytes are only counted */
	size_t len;      /* of what is kept so far */
};

static void end_run(struct walk *walk, const char *end)
{
	const size_t len = (size_t)(end - walk->run);

	if (walk->out)
		memcpy(walk->out + walk->len, walk->run, len);
	walk->len += len;
	walk->run = NULL;
}

/*
 * Most names differ in their first bytes, so a loop beats memcmp. The text contains no '\0' that could equal the one of
 * the table's name.
 */
static bool names_member(const struct prune_member *member, const char *name, size_t len)
{
	const char *wanted = member->name;
	size_t same = 0;

	while (same < len && wanted[same] == name[same])
		same++;
	return wanted[same] == '\0' && (same == len || (same > 0 && wanted[same - 1] == '/'));
}

/* The member of the table that a name stands for, or NULL. A name with an escape could be any: it is kept, whole. */
static const struct prune_member *find_member(const struct prune_member *members, const char *name, size_t len)
{
	static const struct prune_member whole = {"", NULL};

	for (; members->name; members++) {
		if (names_member(members, name, len))
			return members;
	}
	return memchr(name, '\\', len) ? &whole : NULL;
}

static const char *prune_value(struct walk *walk, const char *at, const struct prune_member *members);

/* One member, starting at its name. `begin` is where it starts, including the comma that it needs, if any. */
static const char *prune_member(struct walk *walk, const char *begin, const char *at,
				const struct prune_member *members, bool *ret_kept)
{
	const char *name = at + 1;
	const struct prune_member *member;

	if (*at != '"' || !(at = scan_string(at)))
		return NULL;
	member = find_member(members, name, (size_t)(at - 1 - name));
	at = scan_blanks(at);
	if (*at != ':')
		return NULL;
	*ret_kept = member;
	if (member && !walk->run)
		walk->run = begin;
	if (!member && walk->run)
		end_run(walk, begin);
	return member && member->below ? prune_value(walk, at + 1, member->below) : scan_value(&walk->scan, at + 1);
}

/* The members of a non-empty object, up to its closing brace. */
static const char *prune_members(struct walk *walk, const char *at, const struct prune_member *members)
{
	const char *begin = at;
	bool any = false; /* a member was kept, so that the next one needs its comma */

	for (;;) {
		const char *after;
		bool kept;

		at = prune_member(walk, begin, at, members, &kept);
		if (!at)
			return NULL;
		any = any || kept;
		after = scan_blanks(at);
		if (*after == '}')
			return after;
		if (*after != ',')
			return NULL;
		at = scan_blanks(after + 1);
		begin = any ? after : at;
	}
}

/* An object, starting after its brace. */
static const char *prune_object(struct walk *walk, const char *at, const struct prune_member *members)
{
	at = scan_blanks(at);
	if (*at != '}')
		at = prune_members(walk, at, members);
	if (!at)
		return NULL;
	if (!walk->run)
		walk->run = at;
	return at + 1;
}

/* An array, starting after its bracket: every element is kept, except for what objects leave out. */
static const char *prune_array(struct walk *walk, const char *at, const struct prune_member *members)
{
	at = scan_blanks(at);
	if (*at == ']')
		return at + 1;
	for (;;) {
		at = scan_blanks(at);
		at = *at == '{' ? prune_value(walk, at, members) : scan_value(&walk->scan, at);
		if (!at)
			return NULL;
		at = scan_blanks(at);
		if (*at == ']')
			return at + 1;
		if (*at++ != ',')
			return NULL;
	}
}

/* Recurses no deeper than the tables do, whatever the text holds. */
static const char *prune_value(struct walk *walk, const char *at, const struct prune_member *members)
{
	bool object;

	at = scan_blanks(at);
	object = *at == '{';
	if (!object && *at != '[')
		return scan_value(&walk->scan, at);
	if (!scan_enter(&walk->scan, object))
		return NULL;
	at = object ? prune_object(walk, at + 1, members) : prune_array(walk, at + 1, members);
	scan_leave(&walk->scan);
	return at;
}

/* Walks over the whole text and writes what is kept to `out`; NULL: only counts. False if the text is not JSON. */
static bool walk_text(const char *text, size_t len, const struct prune_member *members, char *out, size_t *ret_len)
{
	struct walk walk;
	const char *end;

	walk.scan.depth = 0;
	walk.run = text;
	walk.out = out;
	walk.len = 0;
	end = prune_value(&walk, text, members);
	if (!end || scan_blanks(end) != text + len)
		return false;
	end_run(&walk, end);
	*ret_len = walk.len;
	return true;
}

enum prune_result prune(struct arena *arena, const char *text, size_t len, const struct prune_member *members,
			const char **ret_text, size_t *ret_len)
{
	size_t size = len;
	char *out;

	if (len > SMALL_TEXT) {
		if (!walk_text(text, len, members, NULL, &size))
			return PRUNE_NOT_JSON;
		if (len - size < len / LITTLE_PART) {
			*ret_text = text;
			*ret_len = len;
			return PRUNE_OK;
		}
	}
	out = arena_alloc(arena, size + 1);
	if (!out)
		return PRUNE_NO_MEMORY;
	if (!walk_text(text, len, members, out, ret_len))
		return PRUNE_NOT_JSON;
	out[*ret_len] = '\0';
	*ret_text = out;
	arena_trim(arena, out, size + 1, *ret_len + 1);
	return PRUNE_OK;
}
