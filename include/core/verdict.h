/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_VERDICT_H
#define CORE_VERDICT_H

#include <stdbool.h>

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/compiler.h"

/*
 * What a stage decides on one object: a denial or nothing, warnings, a JSON patch, and what the audit log is to say.
 * All of it lives in the arena. Control characters that a name or value brings into a denial or a warning become '?':
 * the object was not validated yet, and the API server drops a warning that holds one.
 */

enum {
	WARNING_MAX = 120,   /* bytes of one */
	WARNINGS_MAX = 4096, /* bytes of all */
};

struct verdict {
	struct arena *arena;
	const char *object;   /* as messages name it: "StatefulSet ml/trainer" */
	const char *denial;   /* NULL: allowed */
	cJSON *patch;         /* array of operations; NULL: none */
	cJSON *warnings;      /* array of strings; NULL: none */
	size_t warnings_size; /* bytes of all */
	const char *role;     /* of the pod that got its TF_CONFIG; NULL: none */
	unsigned index;
	unsigned size; /* pods in the group, where role is set */
};

/*
 * Denies: "<object>: <field> is <found>: <text>". `found` is a text such as "missing", a number, or verdict_quote's.
 * Returns -1, so that a denial is one statement; the first one counts.
 */
int verdict_deny(struct verdict *verdict, const char *field, const char *found, const char *format, ...)
	PRINTF_LIKE(4, 5);

/* Adds one line of advice, cut at 120 bytes; what would pass 4,096 bytes in all is left out. */
void verdict_warn(struct verdict *verdict, const char *format, ...) PRINTF_LIKE(2, 3);

/* A value of the user's as `found`: in quotes, clipped. Never NULL. */
const char *verdict_quote(const struct verdict *verdict, const char *text);

/* A JSON value as `found`: a string in quotes, a number or word as it is, "an object", "an array"; NULL: "missing". */
const char *verdict_value(const struct verdict *verdict, const cJSON *item);

const char *verdict_number(const struct verdict *verdict, unsigned number);

#endif
