/* SPDX-License-Identifier: Apache-2.0 */
#include "base/rfc3339.h"

static const char format[] = "%Y-%m-%dT%H:%M:%SZ";

void rfc3339_write(time_t time, char ret_text[RFC3339_SIZE])
{
	struct tm parts;

	if (!gmtime_r(&time, &parts) || strftime(ret_text, RFC3339_SIZE, format, &parts) == 0)
		ret_text[0] = '\0';
}

bool rfc3339_read(const char *text, time_t *ret_time)
{
	struct tm parts = {0};
	const char *end = text ? strptime(text, format, &parts) : NULL;

	if (!end || *end)
		return false;
	*ret_time = timegm(&parts);
	return true;
}
