#include "net/log.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "net/clock.h"

enum {
	RING_SIZE = 256 * 1024, /* some 500 decisions */
	GATHER_MS = 10,		/* that a line waits for others to share its write */
	FLUSH_MS = 2000,	/* that log_release waits for the reader */
};

/* Writes what it can of the bytes. Returns how many are done with: all of them, as dropped, where nobody reads. */
static size_t write_some(struct log *log, const char *bytes, size_t len)
{
	struct pollfd writable = {.fd = log->fd, .events = POLLOUT};
	unsigned long lines = 0;
	int cancellable;
	ssize_t written;

	/* Only here may log_release end a writer whose reader stands still: no lock is held. */
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &cancellable);
	written = write(log->fd, bytes, len);
	if (written < 0 && errno == EAGAIN) {
		poll(&writable, 1, -1);
		written = 0;
	}
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	if (written >= 0 || errno == EINTR)
		return written > 0 ? (size_t)written : 0;
	for (size_t i = 0; i < len; i++)
		lines += bytes[i] == '\n';
	atomic_fetch_add_explicit(log->dropped, lines, memory_order_relaxed);
	return len;
}

/* Waits until there is something to write, and a little longer. False when all is written and the log stops. */
static bool wait_for_lines(struct log *log)
{
	struct timespec until;

	while (log->len == 0 && !log->stopping)
		pthread_cond_wait(&log->changed, &log->lock);
	until = clock_timespec(clock_milliseconds() + GATHER_MS);
	while (log->len < RING_SIZE / 2 && !log->stopping) {
		if (pthread_cond_timedwait(&log->changed, &log->lock, &until) != 0)
			break;
	}
	return log->len > 0;
}

static void *writer_main(void *argument)
{
	struct log *log = argument;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	pthread_mutex_lock(&log->lock);
	while (wait_for_lines(log)) {
		size_t begin = log->begin;
		size_t len = log->len < RING_SIZE - begin ? log->len : RING_SIZE - begin;

		pthread_mutex_unlock(&log->lock); /* nobody else touches the bytes that are in the ring */
		len = write_some(log, log->ring + begin, len);
		pthread_mutex_lock(&log->lock);
		log->begin = (begin + len) % RING_SIZE;
		log->len -= len;
		if (log->len == 0)
			pthread_cond_signal(&log->drained);
	}
	pthread_mutex_unlock(&log->lock);
	return NULL;
}

int log_init(struct log *log, int fd, enum log_level level, atomic_ulong *dropped, struct error *err)
{
	int failure;

	*log = (struct log){.level = level, .fd = fd, .dropped = dropped, .ring = malloc(RING_SIZE)};
	if (!log->ring)
		return error_set(err, ERROR_NO_MEMORY, "no memory for the log");
	pthread_mutex_init(&log->lock, NULL);
	clock_cond_init(&log->changed);
	clock_cond_init(&log->drained);
	failure = pthread_create(&log->writer, NULL, writer_main, log);
	if (failure == 0)
		return 0;
	free(log->ring);
	return error_set(err, ERROR_SYSTEM, "cannot start the log's thread: %s", strerror(failure));
}

void log_release(struct log *log)
{
	struct timespec until = clock_timespec(clock_milliseconds() + FLUSH_MS);
	bool stuck = false;

	pthread_mutex_lock(&log->lock);
	log->stopping = true;
	pthread_cond_signal(&log->changed);
	while (log->len > 0 && !stuck)
		stuck = pthread_cond_timedwait(&log->drained, &log->lock, &until) != 0;
	pthread_mutex_unlock(&log->lock);
	if (stuck)
		pthread_cancel(log->writer);
	pthread_join(log->writer, NULL);
	pthread_cond_destroy(&log->drained);
	pthread_cond_destroy(&log->changed);
	pthread_mutex_destroy(&log->lock);
	free(log->ring);
}

bool log_enabled(const struct log *log, enum log_level level)
{
	return level >= log->level;
}

/* Copies a line to the ring's end, which may be around its corner. */
static void ring_add(struct log *log, const char *line, size_t len)
{
	size_t end = (log->begin + log->len) % RING_SIZE;
	size_t first = len < RING_SIZE - end ? len : RING_SIZE - end;

	memcpy(log->ring + end, line, first);
	memcpy(log->ring, line + first, len - first);
	log->len += len;
}

void log_event(struct log *log, enum log_level level, const char *msg, const struct log_field *fields)
{
	char line[LOG_LINE_MAX];
	struct timespec now;
	size_t len, before;

	if (!log_enabled(log, level))
		return;
	clock_gettime(CLOCK_REALTIME, &now);
	len = log_line_format(line, &now, level, msg, fields);
	pthread_mutex_lock(&log->lock);
	before = log->len;
	if (len <= RING_SIZE - before) {
		ring_add(log, line, len);
		if (before == 0 || (before < RING_SIZE / 2 && log->len >= RING_SIZE / 2))
			pthread_cond_signal(&log->changed);
	} else {
		atomic_fetch_add_explicit(log->dropped, 1, memory_order_relaxed);
	}
	pthread_mutex_unlock(&log->lock);
}
