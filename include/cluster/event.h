/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLUSTER_EVENT_H
#define CLUSTER_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/compiler.h"
#include "base/error.h"
#include "kube/client.h"

/*
 * Events on a StatefulSet, where `kubectl describe` shows them. A repetition raises the count of the existing event,
 * and what another replica has just reported is not reported twice.
 * https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/
 *
 * Internal to src/cluster. Belongs to the thread of the client.
 */

struct event {
	const char *namespace, *name, *uid; /* of the StatefulSet */
	bool warning;                       /* of type Warning; else Normal */
	const char *reason;                 /* one word, such as "GroupResized" */
	const char *message;
	const char *key; /* events with the same key are one event, whatever their messages; NULL: the message */
	bool by_one;     /* no other replica reports the same, so each report counts */
};

/* Creates the event, or raises its count. KUBE_OK if it is there now. Resets the arena. */
MUST_CHECK enum kube_status event_report(struct kube_client *client, struct arena *arena, const struct event *event,
					 struct error *err);

/* A number for the set, the reason and the key, never 0: to remember what was reported last. */
uint64_t event_number(const struct event *event);

#endif
