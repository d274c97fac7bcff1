/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/thread.h"

#include <string.h>

/* cJSON recurses through 1,000 levels, and AddressSanitizer makes its stack frames large. */
enum { STACK_SIZE = 1024 * 1024 };

int thread_start(pthread_t *ret_thread, void *(*run)(void *), void *context, const char *what, struct error *err)
{
	pthread_attr_t attributes;
	int failure;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_SIZE);
	failure = pthread_create(ret_thread, &attributes, run, context);
	pthread_attr_destroy(&attributes);
	return failure ? error_set(err, ERROR_SYSTEM, "cannot start the thread %s: %s", what, strerror(failure)) : 0;
}
