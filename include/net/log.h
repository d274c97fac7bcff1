#ifndef NET_LOG_H
#define NET_LOG_H

#include <stdbool.h>

#include "base/error.h"
#include "net/log_line.h"

/*
 * The log: lines go into a bounded ring and are written by a thread of their own.
 *
 * A reader of stdout that stands still therefore never holds up an answer: lines that find the ring full are dropped
 * and counted. The writer waits a moment for more lines before it writes, because a write for each line costs a busy
 * server a quarter of its throughput.
 */

struct log; /* private */

/*
 * Starts the writer to the descriptor, which is borrowed until the process ends. NULL with an error where it can't be
 * started.
 */
MUST_CHECK struct log *log_new(int fd, enum log_level level, struct error *err);

/*
 * Writes what is in the ring and ends the writer. After two seconds a reader that has not taken it all is given
 * up: the writer that waits for it is left behind with all that it uses, which only makes sense right before the
 * process ends. NULL is allowed; no other thread may log any more.
 */
void log_free(struct log *log);

/* Whether a line of this level would be written: spares the work of making its fields. */
bool log_enabled(const struct log *log, enum log_level level);

/* Logs an event with its fields (NULL: none). Thread-safe; never waits for the reader, allocates nothing. */
void log_event(struct log *log, enum log_level level, const char *msg, const struct log_field *fields);

/* Lines so far that found no room, or no reader. Thread-safe. */
unsigned long log_dropped(const struct log *log);

#endif
