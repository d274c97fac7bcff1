#ifndef SYS_THREAD_H
#define SYS_THREAD_H

#include <pthread.h>

#include "base/compiler.h"
#include "base/error.h"

/*
 * The threads of src/kube, which all read what an API server says. Internal to src/kube.
 */

/* Starts one, with stack enough for cJSON's recursion. `what` is for the message: "that looks into the cluster". */
MUST_CHECK int thread_start(pthread_t *ret_thread, void *(*run)(void *), void *context, const char *what,
			    struct error *err);

#endif
