#ifndef CLUSTER_EVENT_H
#define CLUSTER_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/compiler.h"
#include "base/error.h"
#include "kube/client.h"

/*
 * Events on a StatefulSet, where `kubectl describe` shows them. The same thing said again is counted in the event that is
 * there, and what another replica said just now is not said twice.
 * https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/
 *
 * Internal to src/kube.
 */

struct event {
	const char *namespace, *name, *uid; /* of the StatefulSet */
	bool warning;                       /* else it is normal */
	const char *reason;                 /* one word, such as "GroupResized" */
	const char *message;
	const char *key; /* events with the same are one, whatever they say; NULL: the message */
	bool by_one;     /* no other replica reports the same, so each time counts */
};

/* The arena is reset. KUBE_OK where the event is there. */
MUST_CHECK enum kube_status event_report(struct kube_client *client, struct arena *arena, const struct event *event,
					 struct error *err);

/* A number for the set, the reason and the key, never 0: to know what was reported last. */
uint64_t event_number(const struct event *event);

#endif
