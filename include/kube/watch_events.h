/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_WATCH_EVENTS_H
#define KUBE_WATCH_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/*
 * The stream of a watch: one line of JSON for each event. Only the fact that there was one counts, so nothing is kept
 * of objects, which may be Secrets; of an error the whole line is kept. No I/O; internal to src/kube.
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes
 */

enum { WATCH_ERROR_MAX = 16 * 1024 }; /* bytes of an error's line that are kept */

struct watch_events {
	bool changed;     /* there was an event since the caller cleared this */
	bool broken;      /* there was an error: the API server ends the watch */
	size_t matched;   /* bytes at the start of the line that match those of an error */
	bool is_event;    /* the line does not match */
	struct buf error; /* the line of the first error */
};

void watch_events_init(struct watch_events *events);
void watch_events_release(struct watch_events *events);

/* Takes the next bytes, wherever they are split. An event counts once its line has ended. */
void watch_events_feed(struct watch_events *events, const char *bytes, size_t len);

#endif
