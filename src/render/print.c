/* SPDX-License-Identifier: Apache-2.0 */
#include "render/print.h"

const char *print_count(char ret_text[PRINT_COUNT_MAX], unsigned count)
{
	if (count < 1000)
		snprintf(ret_text, PRINT_COUNT_MAX, "%u", count);
	else if (count < 1000000)
		snprintf(ret_text, PRINT_COUNT_MAX, "%u,%03u", count / 1000, count % 1000);
	else
		snprintf(ret_text, PRINT_COUNT_MAX, "%u,%03u,%03u", count / 1000000, count / 1000 % 1000, count % 1000);
	return ret_text;
}

void print_warnings(FILE *file, const struct set_report *set)
{
	const cJSON *warning;

	cJSON_ArrayForEach (warning, set->warnings) {
		fprintf(file, "Warning: %s\n", warning->valuestring);
	}
}
