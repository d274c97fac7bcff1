/* SPDX-License-Identifier: Apache-2.0 */
#include "net/log.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sys/clock.h"

enum {
	RING_SIZE = 256 * 1024, /* some 500 decisions */
	GATHER_MS = 10,         /* that a line waits for others to be written with */
	FLUSH_MS = 2000,        /* that log_free waits for the reader */
};

struct log {
	enum log_level level; /* lower levels are not written */
	int fd;
	pthread_t writer;
	atomic_ulong dropped;   /* lines */
	pthread_mutex_t lock;   /* guards begin, len, stopping and stopped */
	pthread_cond_t changed; /* for the writer: a first line, half a ring, or stopping */
	pthread_cond_t ended;   /* for log_free: stopped */
	bool stopping;
	bool stopped; /* the writer touches nothing any more */
	size_t begin; /* of the oldest byte in the ring */
	size_t len;   /* bytes in it */
	char ring[RING_SIZE];
};

/* Writes some of the bytes. Returns how many are done: all of them, counted as dropped, if they can't be written. */
static size_t write_some(struct log *log, const char *bytes, size_t len)
{
	struct pollfd writable = {.fd = log->fd, .events = POLLOUT};
	const ssize_t written = write(log->fd, bytes, len);
	unsigned long lines = 0;

	if (written >= 0)
		return (size_t)written;
	if (errno == EINTR)
		return 0;
	if (errno == EAGAIN) {
		poll(&writable, 1, -1);
		return 0;
	}
	for (size_t i = 0; i < len; i++)
		lines += bytes[i] == '\n';
	atomic_fetch_add_explicit(&log->dropped, lines, memory_order_relaxed);
	return len;
}

/* Waits until there is something to write, and a little longer. False when everything is written and the log stops. */
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

	pthread_mutex_lock(&log->lock);
	while (wait_for_lines(log)) {
		const size_t begin = log->begin;
		size_t len = log->len < RING_SIZE - begin ? log->len : RING_SIZE - begin;

		pthread_mutex_unlock(&log->lock); /* no other thread touches bytes that are in the ring */
		len = write_some(log, log->ring + begin, len);
		pthread_mutex_lock(&log->lock);
		log->begin = (begin + len) % RING_SIZE;
		log->len -= len;
	}
	log->stopped = true;
	pthread_cond_signal(&log->ended);
	pthread_mutex_unlock(&log->lock);
	return NULL;
}

struct log *log_new(int fd, enum log_level level, struct error *err)
{
	struct log *log = malloc(sizeof(*log)); /* pages of the ring are allocated when written to */
	int failure;

	if (!log) {
		error_set(err, ERROR_NO_MEMORY, "no memory for the log");
		return NULL;
	}
	memset(log, 0, offsetof(struct log, ring));
	log->fd = fd;
	log->level = level;
	pthread_mutex_init(&log->lock, NULL);
	clock_cond_init(&log->changed);
	clock_cond_init(&log->ended);
	failure = pthread_create(&log->writer, NULL, writer_main, log);
	if (failure == 0)
		return log;
	free(log);
	error_set(err, ERROR_SYSTEM, "cannot start the log's thread: %s", strerror(failure));
	return NULL;
}

void log_free(struct log *log)
{
	const struct timespec until = clock_timespec(clock_milliseconds() + FLUSH_MS);
	bool stuck = false;

	if (!log)
		return;
	pthread_mutex_lock(&log->lock);
	log->stopping = true;
	pthread_cond_signal(&log->changed);
	while (!log->stopped && !stuck)
		stuck = pthread_cond_timedwait(&log->ended, &log->lock, &until) != 0;
	pthread_mutex_unlock(&log->lock);
	if (stuck) {
		pthread_detach(log->writer);
		return;
	}
	pthread_join(log->writer, NULL);
	pthread_cond_destroy(&log->ended);
	pthread_cond_destroy(&log->changed);
	pthread_mutex_destroy(&log->lock);
	free(log);
}

bool log_enabled(const struct log *log, enum log_level level)
{
	return level >= log->level;
}

/* Copies a line to the end of the ring; it may wrap around. */
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
	char line[LOG_LINE_MAX] UNINITIALIZED;
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
		atomic_fetch_add_explicit(&log->dropped, 1, memory_order_relaxed);
	}
	pthread_mutex_unlock(&log->lock);
}

unsigned long log_dropped(const struct log *log)
{
	return atomic_load_explicit(&log->dropped, memory_order_relaxed);
}
