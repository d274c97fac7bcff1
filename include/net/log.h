/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NET_LOG_H
#define NET_LOG_H

#include <stdbool.h>

#include "base/error.h"
#include "net/log_line.h"

/*
 * The log: lines go into a bounded ring buffer, and a thread writes them.
 *
 * So a reader of stdout that stalls never delays an answer: lines that do not fit in the ring are dropped and counted.
 * The thread waits a moment for more lines before it writes, because one write per line costs a busy server a quarter
 * of its throughput.
 */

struct log; /* private */

/*
 * Starts the thread. The descriptor is borrowed until the process ends. NULL with an error if it can't be started.
 */
MUST_CHECK struct log *log_new(int fd, enum log_level level, struct error *err);

/*
 * Writes what is in the ring and ends the thread. If the reader has not taken everything after two seconds, the thread
 * is abandoned with all its memory, which only makes sense right before the process ends. NULL is allowed. No other
 * thread may log any more.
 */
void log_free(struct log *log);

/* Whether a line of this level would be written; if not, the caller need not make its fields. */
bool log_enabled(const struct log *log, enum log_level level);

/* Logs an event with its fields (NULL: none). Thread-safe. Never waits for the reader and allocates nothing. */
void log_event(struct log *log, enum log_level level, const char *msg, const struct log_field *fields);

/* Lines lost so far for lack of room or a reader. Thread-safe. */
unsigned long log_dropped(const struct log *log);

#endif
