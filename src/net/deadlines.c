/* SPDX-License-Identifier: Apache-2.0 */
#include "net/deadlines.h"

#include <string.h>
#include <sys/socket.h>

#include "sys/clock.h"

enum {
	KEPT_PART = 8,    /* one place in so many is kept for newcomers */
	HURRIED_PART = 10 /* in a crowd, the time allowed is so many times shorter */
};

static bool is_crowded(const struct deadlines *deadlines)
{
	return deadlines->taken + deadlines->kept > deadlines->config.places;
}

/* Milliseconds. */
static uint64_t time_allowed(const struct deadlines *deadlines)
{
	const uint64_t allowed = (uint64_t)deadlines->config.seconds * 1000;

	return is_crowded(deadlines) ? allowed / HURRIED_PART : allowed;
}

static struct deadline *older_of(struct deadline *a, struct deadline *b)
{
	if (!a || !b)
		return a ? a : b;
	return a->since < b->since ? a : b;
}

/* The connection whose time has run longest; NULL if no time runs. */
static struct deadline *oldest_running(const struct deadlines *deadlines)
{
	const struct deadline_list *lists = deadlines->lists;

	return older_of(older_of(lists[DEADLINE_NEW].oldest, lists[DEADLINE_HANDSHAKING].oldest),
			lists[DEADLINE_RUNNING].oldest);
}

/* After those that are as old. Its place is near the end, so the search is short. */
static void list_add(struct deadline_list *list, struct deadline *deadline)
{
	struct deadline *before = list->newest;

	while (before && before->since > deadline->since)
		before = before->older;
	deadline->older = before;
	deadline->newer = before ? before->newer : list->oldest;
	*(before ? &before->newer : &list->oldest) = deadline;
	*(deadline->newer ? &deadline->newer->older : &list->newest) = deadline;
	list->count++;
}

static void list_remove(struct deadline_list *list, struct deadline *deadline)
{
	*(deadline->older ? &deadline->older->newer : &list->oldest) = deadline->newer;
	*(deadline->newer ? &deadline->newer->older : &list->newest) = deadline->older;
	list->count--;
}

/* Moves a deadline to the list of a state, or out of all for DEADLINE_NONE. The lock is held, here and below. */
static void move(struct deadlines *deadlines, struct deadline *deadline, enum deadline_state state, uint64_t since)
{
	if (deadline->state != DEADLINE_NONE)
		list_remove(&deadlines->lists[deadline->state], deadline);
	*deadline = (struct deadline){.since = since, .fd = deadline->fd, .state = state};
	if (state != DEADLINE_NONE)
		list_add(&deadlines->lists[state], deadline);
	if (!oldest_running(deadlines))
		pthread_cond_broadcast(&deadlines->none_left);
}

static void release_place(struct deadlines *deadlines, struct deadline *deadline)
{
	move(deadlines, deadline, DEADLINE_NONE, 0);
	deadlines->taken--;
}

/* The lock keeps the descriptor from being closed, and reused, meanwhile. */
static void end_connection(struct deadlines *deadlines, struct deadline *deadline, atomic_ulong *counter)
{
	/* Counted first: whoever sees the end of the connection may read the metrics next. */
	atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
	shutdown(deadline->fd, SHUT_RDWR);
	release_place(deadlines, deadline);
}

/* The oldest connection of a state that has more connections than are spared; else NULL. */
static struct deadline *oldest_unspared(const struct deadlines *deadlines, enum deadline_state state)
{
	const struct deadline_list *list = &deadlines->lists[state];

	return list->count > deadlines->kept ? list->oldest : NULL;
}

static struct deadline *find_victim(const struct deadlines *deadlines)
{
	struct deadline *victim = older_of(
		older_of(oldest_unspared(deadlines, DEADLINE_NEW), oldest_unspared(deadlines, DEADLINE_HANDSHAKING)),
		oldest_unspared(deadlines, DEADLINE_UNASKED));

	if (!victim)
		victim = deadlines->lists[DEADLINE_UNASKED].oldest;
	if (!victim)
		victim = deadlines->lists[DEADLINE_IDLE].oldest;
	if (!victim && deadlines->config.at_once)
		victim = oldest_running(deadlines);
	return victim;
}

/* Frees the places kept for newcomers. If none is left to evict, the allowed time shrinks, and the thread must know. */
static void make_room(struct deadlines *deadlines)
{
	struct deadline *victim;

	while (is_crowded(deadlines) && (victim = find_victim(deadlines)) != NULL)
		end_connection(deadlines, victim, deadlines->config.evicted);
	if (is_crowded(deadlines))
		pthread_cond_signal(&deadlines->changed);
}

static void end_overdue(struct deadlines *deadlines)
{
	const uint64_t now = clock_milliseconds();
	struct deadline *oldest;

	while ((oldest = oldest_running(deadlines)) != NULL && oldest->since + time_allowed(deadlines) <= now)
		end_connection(deadlines, oldest, deadlines->config.missed);
}

static void *watch(void *argument)
{
	struct deadlines *deadlines = argument;

	pthread_mutex_lock(&deadlines->lock);
	while (!deadlines->stopping) {
		const struct deadline *oldest = oldest_running(deadlines);

		if (oldest) {
			const struct timespec due = clock_timespec(oldest->since + time_allowed(deadlines));

			pthread_cond_timedwait(&deadlines->changed, &deadlines->lock, &due);
		} else {
			deadlines->asleep = true;
			pthread_cond_wait(&deadlines->changed, &deadlines->lock);
			deadlines->asleep = false;
		}
		end_overdue(deadlines);
	}
	pthread_mutex_unlock(&deadlines->lock);
	return NULL;
}

int deadlines_init(struct deadlines *deadlines, const struct deadlines_config *config, struct error *err)
{
	const unsigned kept = config->places < KEPT_PART ? 1 : config->places / KEPT_PART;
	int failure;

	*deadlines = (struct deadlines){.config = *config, .kept = kept};
	pthread_mutex_init(&deadlines->lock, NULL);
	clock_cond_init(&deadlines->changed);
	clock_cond_init(&deadlines->none_left);
	failure = pthread_create(&deadlines->thread, NULL, watch, deadlines);
	if (failure != 0)
		return error_set(err, ERROR_SYSTEM, "cannot start the thread that watches connections: %s",
				 strerror(failure));
	return 0;
}

void deadlines_release(struct deadlines *deadlines)
{
	pthread_mutex_lock(&deadlines->lock);
	deadlines->stopping = true;
	pthread_cond_signal(&deadlines->changed);
	pthread_mutex_unlock(&deadlines->lock);
	pthread_join(deadlines->thread, NULL);
	pthread_cond_destroy(&deadlines->none_left);
	pthread_cond_destroy(&deadlines->changed);
	pthread_mutex_destroy(&deadlines->lock);
}

/* If others run, the thread wakes up for them and then sees this one: that saves a signal per request. */
static void run(struct deadlines *deadlines, struct deadline *deadline, enum deadline_state state)
{
	move(deadlines, deadline, state, clock_milliseconds());
	if (deadlines->asleep)
		pthread_cond_signal(&deadlines->changed);
}

void deadline_enter(struct deadlines *deadlines, struct deadline *deadline, int fd)
{
	pthread_mutex_lock(&deadlines->lock);
	*deadline = (struct deadline){.fd = fd};
	deadlines->taken++;
	run(deadlines, deadline, DEADLINE_NEW);
	make_room(deadlines);
	pthread_mutex_unlock(&deadlines->lock);
}

void deadline_handshake(struct deadlines *deadlines, struct deadline *deadline)
{
	pthread_mutex_lock(&deadlines->lock);
	if (deadline->state == DEADLINE_NEW)
		move(deadlines, deadline, DEADLINE_HANDSHAKING, deadline->since);
	pthread_mutex_unlock(&deadlines->lock);
}

void deadline_start(struct deadlines *deadlines, struct deadline *deadline)
{
	pthread_mutex_lock(&deadlines->lock);
	if (deadline->state != DEADLINE_NONE && deadline->state != DEADLINE_RUNNING)
		run(deadlines, deadline, DEADLINE_RUNNING);
	pthread_mutex_unlock(&deadlines->lock);
}

static bool time_runs(const struct deadline *deadline)
{
	return deadline->state == DEADLINE_NEW || deadline->state == DEADLINE_HANDSHAKING ||
	       deadline->state == DEADLINE_RUNNING;
}

/* In a crowd, a newcomer that is about to send its request must not be evicted for others, so its time runs on. */
void deadline_stop(struct deadlines *deadlines, struct deadline *deadline, enum deadline_state idle)
{
	pthread_mutex_lock(&deadlines->lock);
	if (time_runs(deadline) && !(idle == DEADLINE_UNASKED && is_crowded(deadlines))) {
		move(deadlines, deadline, idle, clock_milliseconds());
		make_room(deadlines);
	}
	pthread_mutex_unlock(&deadlines->lock);
}

void deadline_leave(struct deadlines *deadlines, struct deadline *deadline)
{
	pthread_mutex_lock(&deadlines->lock);
	if (deadline->state != DEADLINE_NONE)
		release_place(deadlines, deadline);
	pthread_mutex_unlock(&deadlines->lock);
}

bool deadlines_wait_for_none(struct deadlines *deadlines)
{
	const struct timespec until = clock_timespec(clock_milliseconds() + (uint64_t)deadlines->config.seconds * 1000);
	bool none, timed_out = false;

	pthread_mutex_lock(&deadlines->lock);
	while (oldest_running(deadlines) && !timed_out)
		timed_out = pthread_cond_timedwait(&deadlines->none_left, &deadlines->lock, &until) != 0;
	none = !oldest_running(deadlines);
	pthread_mutex_unlock(&deadlines->lock);
	return none;
}
