/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NET_DEADLINES_H
#define NET_DEADLINES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Ends connections of a port that take too long, or whose places others need.
 *
 * The HTTP library's own timeout restarts with every byte, so a client that sends one now and then would hold its
 * connection forever. Nor can it distinguish a connection that may be idle from one in the middle of a request. Here a
 * connection is watched from the first byte of a handshake or request until its answer has been sent, and is shut down
 * when that takes longer than the time allowed, which is the same for all.
 *
 * Some places are kept for newcomers. Whenever those are taken too, connections are shut down until they are free
 * again, in this order:
 *
 *  1. Connections that have never sent a request, the oldest first. There are three kinds: nothing has been sent to
 *     them, they are in the middle of the handshake, or they have finished it. The newest of each kind are spared, as
 *     many as there are places kept. So a crowd that stops at some point never evicts a few that got further: an HTTP
 *     client keeps spare connections after their handshake, and its next request fails on one that has ended.
 *  2. Connections that were spared after their handshake.
 *  3. Connections that are idle since an answer, the longest idle first. An API server's are the last to go.
 *  4. At a port whose requests take no time (see at_once), the oldest of all others.
 *
 * A handshake counts as started just before the server's part of it is sent: from then on the client may consider the
 * connection open, and its own last message may still be on its way.
 *
 * If that does not free enough places, connections at work are allowed only a tenth of the time, and so is a new
 * connection until its first request.
 *
 * One thread watches a port. It sleeps until the oldest connection is due. Thread-safe.
 */

enum deadline_state {
	DEADLINE_NONE,        /* shut down, or not entered yet */
	DEADLINE_NEW,         /* its time runs since it arrived; nothing was sent to it */
	DEADLINE_HANDSHAKING, /* its time runs since it arrived; the server's part of the handshake was sent */
	DEADLINE_UNASKED,     /* idle since its handshake */
	DEADLINE_IDLE,        /* idle since an answer */
	DEADLINE_RUNNING,     /* its time runs since the first byte of a request */
	DEADLINE_STATES
};

/* A connection's place. Zeroed, it has none. It must not move while it has one. */
struct deadline {
	struct deadline *older, *newer;
	uint64_t since; /* clock_milliseconds when its time started, or it became idle */
	int fd;
	enum deadline_state state;
};

/* Connections of one state, in the order of `since`. */
struct deadline_list {
	struct deadline *oldest, *newest;
	unsigned count;
};

struct deadlines_config {
	unsigned seconds; /* the time allowed, at least 1 */
	unsigned places;  /* connections that the port accepts, at least 2 */
	bool at_once;     /* a newcomer without a place ends the oldest connection, whatever that is doing */
	atomic_ulong *missed, *evicted; /* count connections shut down for taking too long, and to make room */
};

struct deadlines {
	struct deadlines_config config;
	pthread_mutex_t lock;     /* guards all that follows */
	pthread_cond_t changed;   /* for the thread: something may be due earlier than it knows, or it has to stop */
	pthread_cond_t none_left; /* for deadlines_wait_for_none */
	struct deadline_list lists[DEADLINE_STATES];
	unsigned taken; /* places, except those of connections that were shut down and are about to go */
	unsigned kept;  /* places for newcomers */
	bool asleep;
	bool stopping;
	pthread_t thread;
};

/* The counters are borrowed until the release. On failure there is nothing to release. */
MUST_CHECK int deadlines_init(struct deadlines *deadlines, const struct deadlines_config *config, struct error *err);

/* Ends the thread. No connection may have a place. */
void deadlines_release(struct deadlines *deadlines);

/* A new connection takes a place, and its time starts. */
void deadline_enter(struct deadlines *deadlines, struct deadline *deadline, int fd);

/* The server's part of the handshake is about to be sent to a new connection. Its time runs on. */
void deadline_handshake(struct deadlines *deadlines, struct deadline *deadline);

/* The time of a request starts, unless it already runs. */
void deadline_start(struct deadlines *deadlines, struct deadline *deadline);

/*
 * Its time ends: it becomes `idle`, DEADLINE_UNASKED or DEADLINE_IDLE. In a crowd it does not become DEADLINE_UNASKED.
 */
void deadline_stop(struct deadlines *deadlines, struct deadline *deadline, enum deadline_state idle);

/* Gives its place back, if it has one. Must be called before the descriptor is closed. */
void deadline_leave(struct deadlines *deadlines, struct deadline *deadline);

/* Waits until no connection's time runs, at most the time allowed. Returns whether none does. */
bool deadlines_wait_for_none(struct deadlines *deadlines);

#endif
