/* SPDX-License-Identifier: Apache-2.0 */
#include "core/verdict.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "core/messages.h"

enum { DENIAL_MAX = 1000 }; /* events cut what is longer than 1,024 */

int verdict_deny(struct verdict *verdict, const char *field, const char *found, const char *format, ...)
{
	char text[DENIAL_MAX];
	char *denial;
	va_list args;

	if (verdict->denial)
		return -1;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	denial = arena_printf(verdict->arena, "%s: %s is %s: %s", verdict->object, field, found, text);
	if (denial)
		text_clean(denial);
	verdict->denial = denial ? denial : MESSAGE_NO_MEMORY;
	return -1;
}

void verdict_warn(struct verdict *verdict, const char *format, ...)
{
	char text[WARNING_MAX * 4];
	va_list args;
	size_t len;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	text_clean(text);
	len = strlen(text);
	if (len > WARNING_MAX) {
		len = text_clip(text, len, WARNING_MAX - 3);
		memcpy(text + len, "...", sizeof("..."));
		len += 3;
	}
	if (verdict->warnings_size + len > WARNINGS_MAX)
		return;
	verdict->warnings_size += len;
	if (!verdict->warnings)
		verdict->warnings = cJSON_CreateArray();
	cJSON_AddItemToArray(verdict->warnings, cJSON_CreateString(text));
}

const char *verdict_quote(const struct verdict *verdict, const char *text)
{
	const char *quoted = text_quote(verdict->arena, text);

	return quoted ? quoted : "...";
}

const char *verdict_value(const struct verdict *verdict, const cJSON *item)
{
	const char *text;

	if (!item)
		return "missing";
	if (cJSON_IsString(item))
		return verdict_quote(verdict, item->valuestring);
	if (cJSON_IsObject(item))
		return "an object";
	if (cJSON_IsArray(item))
		return "an array";
	text = json_print(verdict->arena, item);
	return text ? text : "...";
}

const char *verdict_number(const struct verdict *verdict, unsigned number)
{
	const char *text = arena_printf(verdict->arena, "%u", number);

	return text ? text : "...";
}
