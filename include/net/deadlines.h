#ifndef NET_DEADLINES_H
#define NET_DEADLINES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Ends the connections of a port that take too long, or that take the places of others.
 *
 * The HTTP library's own timeout starts anew with every byte, so a client that sends one now and then would hold its
 * connection for ever; and it can't tell a connection that is idle by right from one in the middle of a request. Here
 * a connection is watched from the first byte of a request (or handshake) until its answer has left, and shut down when
 * that takes longer than the time allowed, which is the same for all.
 *
 * Some places are kept for newcomers. Whenever those are taken too, connections are shut down until they are free again,
 * in this order:
 *
 *  1. Connections that have never asked for anything, the oldest first. They have come so far: they have not been
 *     answered, are in the middle of a handshake, or have done it. Of each of the three, the newest are spared, as many as
 *     there are places kept. So a crowd that stops somewhere never drives out a few that came further: an HTTP client
 *     keeps spare connections after their handshake, and the next request fails on one that has ended.
 *  2. Those after their handshake that were spared.
 *  3. Those that are idle since an answer, the longest idle first. An API server's are the last to go.
 *  4. At a port whose requests take no time (see at_once), the oldest of all others.
 *
 * A handshake counts as begun before the server's part of it is sent: from then on the client may take the connection
 * for open, and its own last message may still be on its way.
 *
 * Where that does not free enough places, connections at work are allowed a tenth of the time, and so is a new
 * connection until it asks.
 *
 * One thread watches a port. It sleeps until the oldest is due, and for good while there is none. Thread-safe.
 */

enum deadline_state {
	DEADLINE_NONE,        /* shut down, or not entered yet */
	DEADLINE_NEW,         /* its time runs since it came; nothing was sent to it */
	DEADLINE_HANDSHAKING, /* its time runs since it came; it holds the server's part of the handshake */
	DEADLINE_UNASKED,     /* idle since its handshake */
	DEADLINE_IDLE,        /* idle since an answer */
	DEADLINE_RUNNING,     /* its time runs since the first byte of a request */
	DEADLINE_STATES
};

/* A connection's place. Zeroed, it has none. Its owner keeps it at one address while it has. */
struct deadline {
	struct deadline *older, *newer;
	uint64_t since; /* clock_milliseconds when its time began, or it became idle */
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
	unsigned places;  /* connections that the port takes, at least 2 */
	bool at_once;     /* a newcomer for whom no place is kept ends the oldest connection, whatever it does */
	atomic_ulong *missed, *evicted; /* count what was shut down for taking too long, and to make room */
};

struct deadlines {
	struct deadlines_config config;
	pthread_mutex_t lock;   /* guards all that follows */
	pthread_cond_t changed; /* towards the thread: there may be something due earlier than it knows, or stopping */
	pthread_cond_t none_left; /* towards deadlines_wait_for_none */
	struct deadline_list lists[DEADLINE_STATES];
	unsigned taken; /* places, without those of connections that were shut down and are about to go */
	unsigned kept;  /* places for newcomers */
	bool asleep;
	bool stopping;
	pthread_t thread;
};

/* The counters are borrowed until the release. On failure there is nothing to release. */
MUST_CHECK int deadlines_init(struct deadlines *deadlines, const struct deadlines_config *config, struct error *err);

/* Ends the thread. No connection may have a place any more. */
void deadlines_release(struct deadlines *deadlines);

/* A new connection takes a place, and its time begins. */
void deadline_enter(struct deadlines *deadlines, struct deadline *deadline, int fd);

/* The server's part of the handshake is about to be sent to a new connection. Its time runs on. */
void deadline_handshake(struct deadlines *deadlines, struct deadline *deadline);

/* The time of a request begins, unless it runs. */
void deadline_start(struct deadlines *deadlines, struct deadline *deadline);

/* Its time ends: from now on it is DEADLINE_UNASKED (unless there is a crowd, see above) or DEADLINE_IDLE. */
void deadline_stop(struct deadlines *deadlines, struct deadline *deadline, enum deadline_state idle);

/* Gives the place back, which it need not have. Before the descriptor is closed this must have been called. */
void deadline_leave(struct deadlines *deadlines, struct deadline *deadline);

/* Waits until no connection's time runs, at most the time allowed. Returns whether that is so. */
bool deadlines_wait_for_none(struct deadlines *deadlines);

#endif
