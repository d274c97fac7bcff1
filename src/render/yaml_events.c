/* SPDX-License-Identifier: Apache-2.0 */
#include "render/yaml_events.h"

#include <stdint.h>
#include <string.h>

#include "base/text.h"
#include "render/yaml_text.h"

static int fail_at(struct yaml_events *events, struct yaml_position position)
{
	return error_prefix(events->err, "%s:%u:%u", events->text->name, position.line, position.column);
}

int yaml_events_fail_here(struct yaml_events *events)
{
	return events->err->code == ERROR_NO_MEMORY ? -1 : fail_at(events, events->position);
}

int yaml_events_fail(struct yaml_events *events, const char *message)
{
	error_set(events->err, ERROR_INVALID, "%s", message);
	return fail_at(events, events->position);
}

int yaml_events_fail_for_memory(struct yaml_events *events)
{
	return error_set(events->err, ERROR_NO_MEMORY, "%s: it needs more memory than all input may use",
			 events->text->name);
}

/* Sets the error that libfyaml found. */
static int fail_to_parse(struct yaml_events *events)
{
	const struct fy_diag_error *found;
	struct yaml_position position;
	void *iterator = NULL;

	found = fy_diag_errors_iterate(events->diag, &iterator);
	if (!found)
		return yaml_events_fail(events, "it is not YAML");
	position.line = events->text->line + (found->line > 0 ? (unsigned)found->line - 1 : 0);
	position.column = found->column > 0 ? (unsigned)found->column : 1;
	if (position.line <= yaml_text_last_line(events->text)) {
		error_set(events->err, ERROR_INVALID, "%s", found->msg);
		return fail_at(events, position);
	}
	/* The error is in the end that we added, which the user did not write. */
	error_set(events->err, ERROR_INVALID, "the document ends too early: a quote or bracket may be open");
	position = (struct yaml_position){.line = yaml_text_last_line(events->text), .column = 1};
	return fail_at(events, position);
}

/*
 * Go-yaml refuses a tab where a key could start: at the start of a line or after a dash, except inside brackets. `at`
 * to `end` is the text between two tokens.
 */
static const char *find_tab(const char *at, const char *end, bool key_allowed)
{
	for (; at < end; at++) {
		if (*at == '\t' && key_allowed)
			return at;
		if (*at == '\n' || *at == '-' || *at == '?')
			key_allowed = true;
		else if (*at != ' ' && *at != '\t')
			key_allowed = false;
		while (*at == '#' && at + 1 < end && at[1] != '\n')
			at++;
	}
	return NULL;
}

static int check_tabs(struct yaml_events *events, const struct yaml_place *place)
{
	const struct fy_mark *start = fy_event_start_mark(events->event);
	const struct fy_mark *end = fy_event_end_mark(events->event);
	bool in_brackets =
		place->in_collection ? place->column == 0 : fy_event_get_node_style(events->event) == FYNS_FLOW;

	if (start && !in_brackets && start->input_pos > events->checked &&
	    find_tab(events->copy + events->checked, events->copy + start->input_pos, events->checked == 0))
		return yaml_events_fail(events, "there is a tab before it: indent with spaces");
	if (end && end->input_pos > events->checked)
		events->checked = end->input_pos;
	return 0;
}

static bool is_block_scalar(struct fy_event *event)
{
	enum fy_node_style style = fy_event_get_node_style(event);

	return style == FYNS_LITERAL || style == FYNS_FOLDED;
}

/* How the current block scalar starts. */
struct block_start {
	size_t indentation; /* of its first line that is not blank; SIZE_MAX if all are */
	bool blanks;        /* a line before that one has spaces */
};

static struct block_start start_of_block(const struct yaml_events *events)
{
	const char *at = events->copy + fy_event_start_mark(events->event)->input_pos;
	const char *end = events->copy + fy_event_end_mark(events->event)->input_pos;
	struct block_start start = {.indentation = strspn(at, " ")};

	while (at[start.indentation] == '\n' || at[start.indentation] == '\r') {
		start.blanks = start.blanks || start.indentation > 0;
		at += start.indentation + 1;
		start.indentation = strspn(at, " ");
	}
	if (at + start.indentation >= end)
		start.indentation = SIZE_MAX;
	return start;
}

/* True if the line with the | or > of the block scalar starts with that, or with an anchor or tag. */
static bool has_header_alone(const struct yaml_events *events)
{
	const char *end = events->copy + fy_event_start_mark(events->event)->input_pos;
	const char *at = end;

	while (at > events->copy && (at == end || at[-1] != '\n'))
		at--;
	at += strspn(at, " ");
	return *at == '|' || *at == '>' || *at == '&' || *at == '!';
}

/*
 * libfyaml 0.7.12 misreads some block scalars that are rare and easy to refuse: it takes what follows an empty one for
 * its text if both have the same indentation, adds a NUL to one of only spaces, and loses the end of one whose | or >
 * is on a line of its own.
 */
static int check_block_scalar(struct yaml_events *events, const struct yaml_place *place)
{
	struct block_start start;

	if (!place->in_collection)
		return yaml_events_fail(events, "a document must be an object");
	if (!fy_event_start_mark(events->event) || !fy_event_end_mark(events->event))
		return 0;
	start = start_of_block(events);
	if (start.indentation < place->column)
		return yaml_events_fail(events,
					"the text above is empty, or not indented: write \"\" for an empty one");
	if (start.indentation == SIZE_MAX && start.blanks)
		return yaml_events_fail(events, "a text of only spaces must be quoted");
	if (has_header_alone(events))
		return yaml_events_fail(events, "the | or > of a text must be on the line of its key or dash");
	return 0;
}

/* libfyaml accepts a value on a later line than its key or dash that is not indented enough. */
static int check_indentation(struct yaml_events *events, const struct yaml_place *place)
{
	bool list = events->event->type == FYET_SEQUENCE_START && fy_event_get_node_style(events->event) == FYNS_BLOCK;

	if (!place->in_collection || place->is_key || !fy_event_start_mark(events->event))
		return 0;
	if (events->position.column > place->column || (list && place->in_mapping))
		return 0;
	return yaml_events_fail(events, "it must be indented more than what it belongs to");
}

static int check_value(struct yaml_events *events, const struct yaml_place *place)
{
	switch (events->event->type) {
	case FYET_SCALAR:
		if (is_block_scalar(events->event))
			return check_block_scalar(events, place);
		return check_indentation(events, place);
	case FYET_ALIAS:
	case FYET_MAPPING_START:
	case FYET_SEQUENCE_START:
		return check_indentation(events, place);
	case FYET_NONE:
	case FYET_STREAM_START:
	case FYET_STREAM_END:
	case FYET_DOCUMENT_START:
	case FYET_DOCUMENT_END:
	case FYET_MAPPING_END:
	case FYET_SEQUENCE_END:
		break;
	}
	return 0;
}

int yaml_events_next(struct yaml_events *events, const struct yaml_place *place)
{
	const struct fy_mark *mark;

	fy_parser_event_free(events->parser, STEAL(events->event));
	events->event = fy_parser_parse(events->parser);
	if (!events->event)
		return fail_to_parse(events);
	mark = fy_event_start_mark(events->event); /* for an alias, after its '*' */
	if (mark) {
		events->position.line = events->text->line + (unsigned)mark->line;
		events->position.column = (unsigned)mark->column + (events->event->type == FYET_ALIAS ? 0 : 1);
	}
	return check_tabs(events, place) < 0 ? -1 : check_value(events, place);
}

int yaml_events_token(struct yaml_events *events, struct fy_token *token, const char **ret_text)
{
	const char *text;
	size_t len = 0;

	*ret_text = NULL;
	if (!token)
		return 0;
	text = fy_token_get_text(token, &len);
	if (!text && len > 0)
		return yaml_events_fail_for_memory(events);
	if (len > 0 && (memchr(text, '\0', len) || !text_is_utf8(text, len)))
		return yaml_events_fail(events, "it has a NUL character, or bytes that are not UTF-8");
	*ret_text = arena_strndup(events->arena, len ? text : "", len);
	return *ret_text ? 0 : yaml_events_fail_for_memory(events);
}

static int open_parser(struct yaml_events *events)
{
	struct fy_parse_cfg config = {
		.flags = FYPCF_QUIET | FYPCF_DEFAULT_VERSION_1_2 | FYPCF_SLOPPY_FLOW_INDENTATION | FYPCF_JSON_NONE |
			 FYPCF_ALLOW_DUPLICATE_KEYS,
	};
	struct fy_diag_cfg diag;
	size_t len;

	events->copy = yaml_text_copy(events->arena, events->text, &len);
	if (!events->copy)
		return yaml_events_fail_for_memory(events);
	fy_diag_cfg_default(&diag);
	diag.fp = NULL;
	diag.colorize = false;
	events->diag = fy_diag_create(&diag);
	if (!events->diag)
		return yaml_events_fail_for_memory(events);
	fy_diag_set_collect_errors(events->diag, true);
	config.diag = events->diag;
	events->parser = fy_parser_create(&config);
	if (!events->parser || fy_parser_set_string(events->parser, events->copy, len) != 0)
		return yaml_events_fail_for_memory(events);
	return 0;
}

int yaml_events_init(struct yaml_events *events, struct arena *arena, const struct yaml_text *text, struct error *err)
{
	*events = (struct yaml_events){
		.position = {.line = text->line, .column = 1}, .arena = arena, .text = text, .err = err};
	return yaml_text_check(text, err) < 0 ? -1 : open_parser(events);
}

void yaml_events_release(struct yaml_events *events)
{
	if (events->parser) {
		fy_parser_event_free(events->parser, events->event);
		fy_parser_destroy(events->parser);
	}
	fy_diag_destroy(events->diag);
}
