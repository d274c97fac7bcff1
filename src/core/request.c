/* SPDX-License-Identifier: Apache-2.0 */
#include "core/request.h"

#include <string.h>

#include "base/json.h"

static const char *string_or_empty(const cJSON *object, const char *name)
{
	const char *string = json_get_string(object, name);

	return string ? string : "";
}

static enum operation operation_of(const char *name)
{
	if (strcmp(name, "CREATE") == 0)
		return OPERATION_CREATE;
	if (strcmp(name, "UPDATE") == 0)
		return OPERATION_UPDATE;
	return OPERATION_OTHER;
}

int request_read(const cJSON *review, struct request *ret_request, struct error *err)
{
	const cJSON *json = json_get_object(review, "request");
	const cJSON *resource = json_get_object(json, "resource");
	struct request request = {
		.api_version = string_or_empty(review, "apiVersion"),
		.uid = string_or_empty(json, "uid"),
		.group = string_or_empty(resource, "group"),
		.resource = string_or_empty(resource, "resource"),
		.subresource = string_or_empty(json, "subResource"),
		.operation_name = string_or_empty(json, "operation"),
		.name = string_or_empty(json, "name"),
		.namespace = string_or_empty(json, "namespace"),
		.object = json_get_object(json, "object"),
		.old_object = json_get_object(json, "oldObject"),
	};
	const char *name = json_get_string(json_get_object(request.object, "metadata"), "name");

	if (strcmp(string_or_empty(review, "kind"), "AdmissionReview") != 0)
		return error_set(err, ERROR_INVALID, "its kind is not AdmissionReview");
	if (strcmp(request.api_version, "admission.k8s.io/v1") != 0 &&
	    strcmp(request.api_version, "admission.k8s.io/v1beta1") != 0)
		return error_set(err, ERROR_INVALID, "its apiVersion is neither admission.k8s.io/v1 nor v1beta1");
	if (!json)
		return error_set(err, ERROR_INVALID, "it has no request");
	if (!request.uid[0])
		return error_set(err, ERROR_INVALID, "its request has no uid");
	if (name && name[0])
		request.name = name;
	request.operation = operation_of(request.operation_name);
	*ret_request = request;
	return 0;
}
