#ifndef NET_LOG_H
#define NET_LOG_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/error.h"
#include "net/log_line.h"

/*
 * The log: lines go into a bounded ring and are written by a thread of their own.
 *
 * A reader of stdout that stands still therefore never holds up an answer: lines that find the ring full are dropped
 * and counted. The writer waits a moment for more lines before it writes, because a write for each line costs a busy
 * server a quarter of its throughput.
 */

struct log {
	enum log_level level; /* less is not written */
	int fd;
	char *ring;
	size_t begin; /* of the oldest byte in the ring */
	size_t len;   /* bytes in the ring */
	bool stopping;
	pthread_mutex_t lock;	/* guards begin, len and stopping */
	pthread_cond_t changed; /* towards the writer: lines after none, half a ring, or stopping */
	pthread_cond_t drained; /* towards log_release: len is 0 */
	pthread_t writer;
	atomic_ulong *dropped; /* counts lines that found no room, or no reader */
};

/*
 * Starts the writer. The descriptor and the counter are borrowed until log_release. On failure there is nothing to
 * release.
 */
MUST_CHECK int log_init(struct log *log, int fd, enum log_level level, atomic_ulong *dropped, struct error *err);

/* Writes what is in the ring, for at most two seconds, and ends the writer. No other thread may log any more. */
void log_release(struct log *log);

/* Whether a line of this level would be written: spares the work of making its fields. */
bool log_enabled(const struct log *log, enum log_level level);

/* Logs an event with its fields (NULL: none). Thread-safe; never waits for the reader, allocates nothing. */
void log_event(struct log *log, enum log_level level, const char *msg, const struct log_field *fields);

#endif
