/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_OBJECT_H
#define KUBE_OBJECT_H

#include <stdbool.h>
#include <stddef.h>

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/compiler.h"
#include "base/error.h"

/*
 * What objects of the Kubernetes API have in common, as JSON. No I/O. The thread must have entered the arena.
 */

enum { OBJECT_VERSION_SIZE = 64 }; /* bytes of a resourceVersion that is kept, with its '\0' */

/*
 * Parses an object of this kind. NULL with ERROR_INVALID if the text is not one, or with ERROR_NO_MEMORY; the
 * messages begin with the kind. json[len] must be '\0'.
 */
MUST_CHECK const cJSON *object_parse(struct arena *arena, const char *kind, const char *json, size_t len,
				     struct error *err);

/* Copies an object's metadata.resourceVersion. ERROR_INVALID if it has none that object_copy_plain accepts. */
MUST_CHECK int object_read_version(const cJSON *object, char ret_version[OBJECT_VERSION_SIZE], struct error *err);

/*
 * Whether a text consists of letters, digits and "._-". A resourceVersion is opaque, but this program puts it into URLs
 * and JSON without escaping.
 */
bool object_is_plain(const char *text);

/* Copies such a text. False if it is not plain, is NULL or does not fit: then `ret_copy` stays as it was. */
bool object_copy_plain(char *ret_copy, size_t size, const char *text);

/* Paths of objects: snprintf formats for a namespace and a name that an API server sent, or that are DNS labels. */
#define OBJECT_SERVICE_PATH      "/api/v1/namespaces/%s/services/%s"
#define OBJECT_STATEFUL_SET_PATH "/apis/apps/v1/namespaces/%s/statefulsets/%s"

/* Adds base64 as base/base64.h writes it, but needs no arena, and wipes its own copies. */
void object_add_base64(struct buf *buf, const char *bytes, size_t len);

#endif
