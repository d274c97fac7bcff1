/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_REQUEST_H
#define CORE_REQUEST_H

#include <cjson/cJSON.h>

#include "base/error.h"

/*
 * The request of an AdmissionReview, as far as the rules read it. Strings are never NULL; everything is borrowed from
 * the tree that was parsed.
 */

enum operation { OPERATION_CREATE, OPERATION_UPDATE, OPERATION_OTHER };

struct request {
	const char *api_version; /* of the review, to be answered in kind */
	const char *uid;
	const char *group; /* of the resource, "" for the core group */
	const char *resource;
	const char *subresource;
	enum operation operation;
	const char *operation_name;
	const char *name; /* the object's; "" where neither the request nor the object has one yet */
	const char *namespace;
	const cJSON *object;     /* NULL where there is none, as in a DELETE */
	const cJSON *old_object; /* likewise */
};

/* Reads a parsed review. Returns -1 with ERROR_INVALID where it is not a review of a known version. */
MUST_CHECK int request_read(const cJSON *review, struct request *ret_request, struct error *err);

#endif
