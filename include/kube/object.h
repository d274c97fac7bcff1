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
 * What objects of the Kubernetes API have in common, as JSON. Internal to src/kube. The thread must have entered the
 * arena.
 */

enum { OBJECT_VERSION_SIZE = 64 }; /* bytes of a resourceVersion that is kept, with its '\0' */

/*
 * Parses an object of this kind. NULL with ERROR_INVALID where the text is not one, or with ERROR_NO_MEMORY; the
 * messages begin with the kind. json[len] must be '\0'.
 */
MUST_CHECK const cJSON *object_parse(struct arena *arena, const char *kind, const char *json, size_t len,
				     struct error *err);

/* Copies an object's metadata.resourceVersion. ERROR_INVALID where it has none that object_copy_plain takes. */
MUST_CHECK int object_read_version(const cJSON *object, char ret_version[OBJECT_VERSION_SIZE], struct error *err);

/*
 * True for letters, digits and "._-": a resourceVersion, say, which is opaque but travels in URLs and in JSON that is
 * written by hand.
 */
bool object_is_plain(const char *text);

/* Copies such a text. False where it is none, is missing or does not fit: then `out` stays as it was. */
bool object_copy_plain(char *out, size_t size, const char *text);

/* Where objects are: snprintf formats of a namespace and a name, which must be of an API server or DNS labels. */
#define OBJECT_SERVICE_PATH      "/api/v1/namespaces/%s/services/%s"
#define OBJECT_STATEFUL_SET_PATH "/apis/apps/v1/namespaces/%s/statefulsets/%s"

/* Adds base64, as base/base64.h writes it, without an arena; its own copies are wiped. */
void object_add_base64(struct buf *buf, const char *bytes, size_t len);

#endif
