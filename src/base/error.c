/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"

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
	char context[sizeof(err->message)];
	char whole[2 * sizeof(err->message) + 2];
	va_list args;

	if (!err)
		return -1;
	va_start(args, format);
	vsnprintf(context, sizeof(context), format, args);
	va_end(args);
	snprintf(whole, sizeof(whole), "%s: %s", context, err->message);
	memcpy(err->message, whole, sizeof(err->message) - 1);
	err->message[sizeof(err->message) - 1] = '\0';
	return -1;
}
