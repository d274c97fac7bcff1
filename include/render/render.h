/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_RENDER_H
#define RENDER_RENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/compiler.h"
#include "base/error.h"

/*
 * The command `render` without its flags: reads manifests, asks the core what the webhook would say about each
 * StatefulSet and its pods, and prints that.
 */

enum render_format {
	RENDER_TEXT, /* for a person */
	RENDER_JSON, /* an object for each set, one per line */
	RENDER_YAML, /* the same as documents */
	RENDER_ENV,  /* one pod's variable for a shell; everything else goes to stderr */
};
#define RENDER_FORMATS (RENDER_ENV + 1)

/* Strings are borrowed for the call. */
struct render_options {
	const char *const *files; /* manifests and folders of manifests; "-" is stdin */
	size_t file_count;
	const char *namespace;      /* of objects that name none */
	const char *cluster_domain; /* "": names end at .svc */
	enum render_format format;
	bool one_pod; /* only the pod `pod`; RENDER_ENV requires it */
	unsigned pod; /* an ordinal */
	bool graph;   /* the group as a table instead of each pod's value; RENDER_TEXT only */
	bool all;     /* every pod of a large group, and long values in full */
};

/*
 * Prints the results to `file`, and notes to stderr after them. *ret_failed: something was denied, or RENDER_ENV found
 * no TF_CONFIG. Returns -1 if the input can't be read, the output can't be written, or the input does not have the one
 * set or pod that the options ask for; messages name the command's flags. What was printed before an error stays
 * printed. Not thread-safe.
 */
MUST_CHECK int render_run(const struct render_options *options, FILE *file, bool *ret_failed, struct error *err);

#endif
