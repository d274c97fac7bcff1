/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "kube/watch_events.h"
#include "suites.h"
#include "unit.h"

static const char error_line[] = "{\"type\":\"ERROR\",\"object\":{\"message\":\"too old\"}}";

static void feed(struct watch_events *events, const char *text)
{
	watch_events_feed(events, text, strlen(text));
}

static void an_event_counts_when_its_line_ends(void)
{
	CLEANUP(watch_events_release) struct watch_events events;

	watch_events_init(&events);
	feed(&events, "{\"type\":\"ADDED\",\"object\":{}}");
	CU_ASSERT(!events.changed);
	feed(&events, "\n");
	CU_ASSERT(events.changed && !events.broken);
	events.changed = false;
	feed(&events, "{\"type\":\"MODIF");
	CU_ASSERT(!events.changed);
	feed(&events, "IED\",\"object\":{}}\n{\"type\":");
	CU_ASSERT(events.changed);
	CU_ASSERT(events.error.len == 0);
}

static void a_line_is_an_event_an_error_or_nothing(void)
{
	static const struct {
		const char *line;
		bool changed, broken;
	} rows[] = {
		{"{\"type\":\"DELETED\",\"object\":{}}", true, false},
		{"{\"type\":\"ERRORS\",\"object\":{}}", true, false},
		{"{\"type\":\"ERR", true, false},
		{"{\"object\":{\"type\":\"ERROR\"}}", true, false},
		{"{", true, false},
		{"no JSON", true, false},
		{"", false, false},
		{" \t\r", false, false},
		{error_line, false, true},
		{"{\"type\":\"ERROR\"}", false, true},
		{" { \"type\" : \"ERROR\" , \"object\" : {} } ", false, true},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		CLEANUP(watch_events_release) struct watch_events events;

		watch_events_init(&events);
		feed(&events, rows[i].line);
		feed(&events, "\n");
		CHECK_ROW(events.changed == rows[i].changed, rows[i].line);
		CHECK_ROW(events.broken == rows[i].broken, rows[i].line);
	}
}

static void an_error_is_kept_however_it_is_cut(void)
{
	for (size_t cut = 0; cut < sizeof(error_line); cut++) {
		CLEANUP(watch_events_release) struct watch_events events;

		watch_events_init(&events);
		feed(&events, "{\"type\":\"ADDED\"}\n");
		watch_events_feed(&events, error_line, cut);
		CU_ASSERT(!events.broken);
		feed(&events, error_line + cut);
		feed(&events, "\n{\"type\":\"ERROR\",\"object\":\"another\"}\n{\"type\":\"ADDED\"}\n");
		CU_ASSERT(events.changed && events.broken);
		CHECK_STRING(buf_string(&events.error), error_line);
	}
}

static void of_objects_nothing_is_kept_and_of_errors_not_all(void)
{
	CLEANUP(watch_events_release) struct watch_events events;

	watch_events_init(&events);
	for (int i = 0; i < 1000; i++)
		feed(&events, "{\"type\":\"ADDED\",\"object\":{\"data\":{\"ca.key\":\"c2VjcmV0\"}}}\n");
	CU_ASSERT(events.error.data == NULL);
	feed(&events, "{\"type\":\"ERROR\",");
	for (int i = 0; i < 100000; i++)
		feed(&events, "x");
	CU_ASSERT(events.error.failed && events.error.len == WATCH_ERROR_MAX);
	feed(&events, "\n");
	CU_ASSERT(events.broken);
}

int add_watch_events_suite(void)
{
	static const struct unit_test tests[] = {
		{"an event counts when its line ends", an_event_counts_when_its_line_ends},
		{"a line is an event, an error or nothing", a_line_is_an_event_an_error_or_nothing},
		{"an error is kept, however it is cut", an_error_is_kept_however_it_is_cut},
		{"of objects nothing is kept, and of errors not all", of_objects_nothing_is_kept_and_of_errors_not_all},
		{NULL, NULL},
	};

	return add_suite("watch events", tests);
}
