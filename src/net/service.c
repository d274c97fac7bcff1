#include "net/service.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "core/compiler.h"

const char *service_not_ready(struct service *service)
{
	struct credentials *credentials;
	const char *problem;

	if (atomic_load(&service->draining))
		return "the server is about to stop";
	credentials = credentials_store_ref(&service->credentials);
	if (!credentials)
		return "no certificate is loaded";
	problem = credentials_date_problem(credentials->not_before, credentials->not_after, time(NULL));
	credentials_unref(credentials);
	return problem;
}

/*
 * libmicrohttpd tells of an error that it answers in this one place alone:
 * "Error processing request (HTTP response code is %u ('%s')). Closing connection."
 */
static void count_library_answer(struct metrics *metrics, const char *format, va_list args)
{
	const char *place = strstr(format, "HTTP response code is %u");
	const char *first = strchr(format, '%');

	if (place && first == strchr(place, '%'))
		metrics_count_http_error(metrics, va_arg(args, unsigned));
}

void service_library_log(void *context, const char *format, va_list args)
{
	struct service *service = context;
	char text[512];
	va_list copy;

	va_copy(copy, args);
	count_library_answer(&service->metrics, format, copy);
	va_end(copy);
	if (!log_enabled(service->log, LOG_LEVEL_DEBUG))
		return;
	vsnprintf(text, sizeof(text), format, args);
	text[strcspn(text, "\n")] = '\0';
	log_event(service->log, LOG_LEVEL_DEBUG, "libmicrohttpd", LOG_FIELDS(LOG_TEXT("message", text)));
}
