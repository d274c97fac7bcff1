/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_SCALAR_H
#define RENDER_SCALAR_H

#include <stdbool.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/error.h"

/*
 * What a YAML scalar means to kubectl, which reads YAML 1.1 with go-yaml v2 (sigs.k8s.io/yaml). An unquoted `yes`,
 * `on` or `y` is true, 010 is 8, 1_000 is 1000, ~ is null; a date and 1:30 stay text. Thread-safe.
 */

struct scalar {
	const char *text; /* without escapes and quotes */
	bool plain;       /* unquoted, so it may be something other than text */
	const char *tag;  /* in full, as "tag:yaml.org,2002:int"; NULL: none */
};

enum scalar_kind { SCALAR_NULL, SCALAR_BOOLEAN, SCALAR_INTEGER, SCALAR_FLOAT, SCALAR_TEXT };

struct scalar_value {
	enum scalar_kind kind;
	bool truth;         /* of a boolean */
	bool negative;      /* of an integer */
	uint64_t magnitude; /* likewise */
	double number;      /* of a float */
	const char *text;   /* of a text; borrowed from the scalar, or in the arena */
};

/* Returns -1 with ERROR_INVALID if the text is not of the kind that its tag demands, or with ERROR_NO_MEMORY. */
MUST_CHECK int scalar_resolve(struct arena *arena, const struct scalar *scalar, struct scalar_value *ret_value,
			      struct error *err);

/* A copy as JSON. NULL with ERROR_INVALID for a float that is not finite, as JSON has none, or with ERROR_NO_MEMORY. */
MUST_CHECK cJSON *scalar_json(const struct scalar_value *value, struct error *err);

/* The value as the name of a JSON member. NULL with ERROR_INVALID for null, or with ERROR_NO_MEMORY. */
MUST_CHECK const char *scalar_key(struct arena *arena, const struct scalar_value *value, struct error *err);

#endif
