/* SPDX-License-Identifier: Apache-2.0 */
#include "core/kinds.h"

#include <stddef.h>
#include <string.h>

#include "base/compiler.h"
#include "core/statefulset.h"

static const struct workload_kind *const kinds[] = {&statefulset_kind};

const struct workload_kind *kind_of_resource(const char *group, const char *resource)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		if (strcmp(kinds[i]->group, group) == 0 && strcmp(kinds[i]->resource, resource) == 0)
			return kinds[i];
	}
	return NULL;
}

/* True where "apps/v1" is a version of the group "apps". */
static bool is_version_of(const char *api_version, const char *group)
{
	const size_t len = strlen(group);

	return strncmp(api_version, group, len) == 0 && api_version[len] == '/';
}

const struct workload_kind *kind_of_object(const char *kind, const char *api_version)
{
	for (size_t i = 0; kind && api_version && i < ARRAY_LEN(kinds); i++) {
		if (strcmp(kinds[i]->name, kind) == 0 && is_version_of(api_version, kinds[i]->group))
			return kinds[i];
	}
	return NULL;
}
