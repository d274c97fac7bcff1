#ifndef KUBE_WATCH_EVENTS_H
#define KUBE_WATCH_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/*
 * The stream of a watch: a line of JSON for each event. That there was one is all that counts, so of an object, which
 * may be a Secret, nothing is kept; of an error the whole line is. No I/O; internal to src/kube.
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes
 */

enum { WATCH_ERROR_MAX = 16 * 1024 }; /* bytes of an error's line that are kept */

struct watch_events {
	bool changed;     /* there was an event since the caller cleared this */
	bool broken;      /* there was an error: the API server ends the watch */
	size_t matched;   /* of the line's begin, as far as it looks like an error's */
	bool is_event;    /* it does not */
	struct buf error; /* the line of the first error */
};

void watch_events_init(struct watch_events *events);
void watch_events_release(struct watch_events *events);

/* Takes the next bytes, however they are cut. An event counts when its line has ended. */
void watch_events_feed(struct watch_events *events, const char *bytes, size_t len);

#endif
