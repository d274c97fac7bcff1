#include "core/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int error_set(struct error *err, enum error_code code, const char *format, ...)
{
	va_list args;

	if (!err)
		return -1;
	err->code = code;
	va_start(args, format);
	vsnprintf(err->message, sizeof(err->message), format, args);
	va_end(args);
	return -1;
}

int error_prefix(struct error *err, const char *format, ...)
{
	char message[sizeof(err->message)];
	va_list args;
	int len;

	if (!err)
		return -1;
	memcpy(message, err->message, sizeof(message));
	va_start(args, format);
	len = vsnprintf(err->message, sizeof(err->message), format, args);
	va_end(args);
	if (len >= 0 && (size_t)len < sizeof(err->message))
		snprintf(err->message + len, sizeof(err->message) - (size_t)len, ": %s", message);
	return -1;
}
