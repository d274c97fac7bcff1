#ifndef NET_DEADLINES_H
#define NET_DEADLINES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"

/*
 * Ends connections whose peer takes too long. The HTTP library's own timeout starts anew with every byte, so a client
 * that sends one now and then would hold its connection for ever; and it can't tell a connection that is idle by right
 * from one in the middle of a request. Here a connection is watched from the first byte of a request (or handshake)
 * until its answer has left, and shut down when that takes longer than the time allowed, which is the same for all.
 *
 * One thread watches them all. It sleeps until the oldest is due, and for good while there is none. Thread-safe.
 */

/* A connection's place in the watch list. Zeroed, it is not watched. Its owner keeps it at one address while it is. */
struct deadline {
	struct deadline *older, *newer;
	uint64_t due; /* clock_milliseconds */
	int fd;
	bool watched;
};

struct deadlines {
	pthread_mutex_t lock;     /* guards the list and all that follows */
	pthread_cond_t changed;   /* towards the thread, which sleeps for good: a first deadline, or stopping */
	pthread_cond_t none_left; /* towards deadlines_wait_for_none */
	struct deadline *oldest;  /* due first, as all are given the same time */
	struct deadline *newest;
	bool asleep;
	bool stopping;
	uint64_t allowed;     /* milliseconds */
	atomic_ulong *missed; /* counts connections that were shut down */
	pthread_t thread;
};

/* `seconds` is the time allowed; the counter is borrowed until the release. On failure there is nothing to release. */
MUST_CHECK int deadlines_init(struct deadlines *deadlines, unsigned seconds, atomic_ulong *missed, struct error *err);

/* Ends the thread. Nothing may be watched any more. */
void deadlines_release(struct deadlines *deadlines);

/* Watches the connection from now on. One that is watched already keeps its time. */
void deadline_start(struct deadlines *deadlines, struct deadline *deadline, int fd);

/* Ends the watch, which need not have begun. Before a descriptor is closed this must have been called. */
void deadline_stop(struct deadlines *deadlines, struct deadline *deadline);

/* Waits until nothing is watched, at most the time allowed. Returns whether that is so. */
bool deadlines_wait_for_none(struct deadlines *deadlines);

#endif
