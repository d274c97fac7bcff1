/* SPDX-License-Identifier: Apache-2.0 */
#include "net/runtime.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/compiler.h"

const char *runtime_not_ready(struct runtime *runtime)
{
	struct credentials *credentials;
	const char *problem;

	if (atomic_load(&runtime->draining))
		return "the server is about to stop";
	problem = atomic_load(&runtime->not_ready);
	if (problem)
		return problem;
	credentials = credentials_store_ref(&runtime->credentials);
	if (!credentials)
		return "no certificate is loaded";
	problem = credentials_date_problem(credentials->not_before, credentials->not_after, time(NULL));
	credentials_unref(credentials);
	return problem;
}

void runtime_set_not_ready(struct runtime *runtime, const char *reason)
{
	atomic_store(&runtime->not_ready, reason);
}

int runtime_use_certificate(struct runtime *runtime, struct credentials *credentials, const char *name,
			    struct error *err)
{
	const time_t not_before = credentials->not_before, not_after = credentials->not_after;
	const char *problem = credentials_date_problem(not_before, not_after, time(NULL));

	if (credentials_store_replace(&runtime->credentials, credentials, err) < 0)
		return error_prefix(err, "%s", name);
	atomic_store(&runtime->metrics.certificate_expiry, not_after);
	if (problem && runtime->log)
		log_event(runtime->log, LOG_LEVEL_WARNING, problem, LOG_FIELDS(LOG_TEXT("certificate", name)));
	return 0;
}

/*
 * This message is the only sign of an error that libmicrohttpd answers by itself:
 * "Error processing request (HTTP response code is %u ('%s')). Closing connection."
 */
static void count_library_answer(struct metrics *metrics, const char *format, va_list args)
{
	const char *place = strstr(format, "HTTP response code is %u");
	const char *first = strchr(format, '%');

	if (place && first == strchr(place, '%'))
		metrics_count_http_error(metrics, va_arg(args, unsigned));
}

void runtime_library_log(void *context, const char *format, va_list args)
{
	struct runtime *runtime = context;
	char text[512];
	va_list copy;

	va_copy(copy, args);
	count_library_answer(&runtime->metrics, format, copy);
	va_end(copy);
	if (!log_enabled(runtime->log, LOG_LEVEL_DEBUG))
		return;
	vsnprintf(text, sizeof(text), format, args);
	text[strcspn(text, "\n")] = '\0';
	log_event(runtime->log, LOG_LEVEL_DEBUG, "libmicrohttpd", LOG_FIELDS(LOG_TEXT("message", text)));
}
