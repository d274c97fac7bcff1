#ifndef RENDER_SCALAR_H
#define RENDER_SCALAR_H

#include <stdbool.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/error.h"

/*
 * What a scalar of YAML means to kubectl, which reads YAML 1.1 by way of go-yaml v2 (sigs.k8s.io/yaml). An unquoted
 * `yes`, `on` or `y` is true, 010 is 8, 1_000 is 1000, ~ is null; a date and 1:30 stay text.
 */

struct scalar {
	const char *text; /* without escapes and quotes */
	bool plain;       /* unquoted, so that it may be more than text */
	const char *tag;  /* in full, such as "tag:yaml.org,2002:int"; NULL: none */
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

/* Returns -1 with ERROR_INVALID where the tag demands another kind than the text is. */
MUST_CHECK int scalar_resolve(struct arena *arena, const struct scalar *scalar, struct scalar_value *ret_value,
			      struct error *err);

/* As JSON, copied. NULL with ERROR_INVALID for an infinite float, which JSON has not, or where memory ends. */
MUST_CHECK cJSON *scalar_json(const struct scalar_value *value, struct error *err);

/* As the name of a member: JSON knows text alone. NULL with ERROR_INVALID for null, or where memory ends. */
MUST_CHECK const char *scalar_key(struct arena *arena, const struct scalar_value *value, struct error *err);

#endif
