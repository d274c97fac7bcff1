#include "net/deadlines.h"

#include <string.h>
#include <sys/socket.h>

#include "net/clock.h"

/* Takes a deadline out of the list. The lock is held. */
static void unlink_deadline(struct deadlines *deadlines, struct deadline *deadline)
{
	*(deadline->older ? &deadline->older->newer : &deadlines->oldest) = deadline->newer;
	*(deadline->newer ? &deadline->newer->older : &deadlines->newest) = deadline->older;
	*deadline = (struct deadline){0};
	if (!deadlines->oldest)
		pthread_cond_broadcast(&deadlines->none_left);
}

/* Shuts down what is due. The lock is held, so no descriptor among them can be closed and be another's meanwhile. */
static void end_overdue(struct deadlines *deadlines)
{
	const uint64_t now = clock_milliseconds();

	while (deadlines->oldest && deadlines->oldest->due <= now) {
		shutdown(deadlines->oldest->fd, SHUT_RDWR);
		unlink_deadline(deadlines, deadlines->oldest);
		atomic_fetch_add_explicit(deadlines->missed, 1, memory_order_relaxed);
	}
}

static void *watch(void *argument)
{
	struct deadlines *deadlines = argument;

	pthread_mutex_lock(&deadlines->lock);
	while (!deadlines->stopping) {
		if (deadlines->oldest) {
			const struct timespec due = clock_timespec(deadlines->oldest->due);

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

int deadlines_init(struct deadlines *deadlines, unsigned seconds, atomic_ulong *missed, struct error *err)
{
	int failure;

	*deadlines = (struct deadlines){.allowed = (uint64_t)seconds * 1000, .missed = missed};
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

void deadline_start(struct deadlines *deadlines, struct deadline *deadline, int fd)
{
	pthread_mutex_lock(&deadlines->lock);
	if (!deadline->watched) {
		*deadline = (struct deadline){.older = deadlines->newest,
					      .due = clock_milliseconds() + deadlines->allowed,
					      .fd = fd,
					      .watched = true};
		*(deadlines->newest ? &deadlines->newest->newer : &deadlines->oldest) = deadline;
		deadlines->newest = deadline;
		/* While others are watched the thread wakes for them, and for this one later: no signal per request. */
		if (deadlines->asleep)
			pthread_cond_signal(&deadlines->changed);
	}
	pthread_mutex_unlock(&deadlines->lock);
}

void deadline_stop(struct deadlines *deadlines, struct deadline *deadline)
{
	pthread_mutex_lock(&deadlines->lock);
	if (deadline->watched)
		unlink_deadline(deadlines, deadline);
	pthread_mutex_unlock(&deadlines->lock);
}

bool deadlines_wait_for_none(struct deadlines *deadlines)
{
	const struct timespec until = clock_timespec(clock_milliseconds() + deadlines->allowed);
	bool none, timed_out = false;

	pthread_mutex_lock(&deadlines->lock);
	while (deadlines->oldest && !timed_out)
		timed_out = pthread_cond_timedwait(&deadlines->none_left, &deadlines->lock, &until) != 0;
	none = !deadlines->oldest;
	pthread_mutex_unlock(&deadlines->lock);
	return none;
}
