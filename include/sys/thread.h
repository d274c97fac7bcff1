/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SYS_THREAD_H
#define SYS_THREAD_H

#include <pthread.h>

#include "base/compiler.h"
#include "base/error.h"

/*
 * Threads that read what an API server sends: those of src/rotation and src/cluster.
 */

/* Starts one with enough stack for cJSON's recursion. `what` completes the message "cannot start the thread …". */
MUST_CHECK int thread_start(pthread_t *ret_thread, void *(*run)(void *), void *context, const char *what,
			    struct error *err);

#endif
