/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/watch_events.h"

/* API servers write the type first: https://github.com/kubernetes/kubernetes, metav1.WatchEvent. */
static const char error_start[] = "{\"type\":\"ERROR\"";

void watch_events_init(struct watch_events *events)
{
	*events = (struct watch_events){0};
	buf_init(&events->error, WATCH_ERROR_MAX);
}

void watch_events_release(struct watch_events *events)
{
	buf_release(&events->error);
	watch_events_init(events);
}

static bool is_error(const struct watch_events *events)
{
	return events->matched == sizeof(error_start) - 1;
}

static void end_line(struct watch_events *events)
{
	if (is_error(events))
		events->broken = true;
	else if (events->is_event || events->matched > 0)
		events->changed = true;
	events->matched = 0;
	events->is_event = false;
}

static void take(struct watch_events *events, char c)
{
	if (is_error(events)) {
		if (!events->broken)
			buf_add(&events->error, &c, 1);
		return;
	}
	if (events->is_event || c == ' ' || c == '\t' || c == '\r')
		return;
	if (c != error_start[events->matched]) {
		events->is_event = true;
		return;
	}
	events->matched++;
	if (is_error(events) && !events->broken)
		buf_add_string(&events->error, error_start);
}

void watch_events_feed(struct watch_events *events, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (bytes[i] == '\n')
			end_line(events);
		else
			take(events, bytes[i]);
	}
}
