/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SYS_CLOCK_H
#define SYS_CLOCK_H

#include <pthread.h>
#include <stdint.h>
#include <time.h>

/*
 * Time that only moves forward (CLOCK_MONOTONIC), for durations, deadlines and waiting. Thread-safe.
 */

uint64_t clock_microseconds(void);

uint64_t clock_milliseconds(void);

/* A time of clock_milliseconds for pthread_cond_timedwait, for conditions made by clock_cond_init. */
struct timespec clock_timespec(uint64_t milliseconds);

/* A condition whose timed waits use this clock. Release it with pthread_cond_destroy. */
void clock_cond_init(pthread_cond_t *cond);

#endif
