/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_RFC3339_H
#define BASE_RFC3339_H

#include <stdbool.h>
#include <time.h>

/*
 * Times as Kubernetes writes them: in UTC, to the second, such as 2026-01-31T23:59:59Z.
 * https://www.rfc-editor.org/rfc/rfc3339
 */

enum { RFC3339_SIZE = sizeof("-2147483648-12-31T23:59:59Z") };

/* "" for a time whose year does not fit into an int. */
void rfc3339_write(time_t time, char ret_text[RFC3339_SIZE]);

/* False if the text is anything else. NULL is allowed. */
bool rfc3339_read(const char *text, time_t *ret_time);

#endif
