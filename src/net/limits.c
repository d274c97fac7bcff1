/* SPDX-License-Identifier: Apache-2.0 */
#include "net/limits.h"

#include <sys/resource.h>

#include "net/probes.h"

enum {
	THREAD_DESCRIPTORS = 3, /* of the HTTP library: one to wait with, two to be woken through */
	OTHER_DESCRIPTORS = 32, /* the standard three, listening sockets, files that are open briefly */
};

/* Raises the limit of descriptors to what is needed, or as far as allowed, and returns it. */
static rlim_t raise_descriptors(rlim_t needed)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return needed;
	if (limit.rlim_cur < needed) {
		const rlim_t before = limit.rlim_cur;

		limit.rlim_cur = limit.rlim_max < needed ? limit.rlim_max : needed;
		if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
			return before;
	}
	return limit.rlim_cur;
}

int limits_find(unsigned asked, unsigned threads, size_t memory, struct limits *ret_limits, struct error *err)
{
	const rlim_t others = (rlim_t)threads * THREAD_DESCRIPTORS + PROBES_MAX_CONNECTIONS + OTHER_DESCRIPTORS;
	const size_t affordable = memory / 2 / LIMITS_CONNECTION_MEMORY;
	struct limits limits = {.connections = asked};
	rlim_t descriptors;

	if (limits.connections > affordable)
		limits = (struct limits){.connections = (unsigned)affordable,
					 .reason = "they may take half of --memory"};
	/* Each thread serves its own connections, and must be able to serve one. */
	if (limits.connections < threads)
		limits.connections = threads;
	descriptors = raise_descriptors(others + limits.connections);
	if (descriptors < others + threads)
		return error_set(err, ERROR_SYSTEM, "the limit of %lu open files is too low: at least %lu are needed",
				 (unsigned long)descriptors, (unsigned long)(others + threads));
	if (limits.connections > descriptors - others)
		limits = (struct limits){.connections = (unsigned)(descriptors - others),
					 .reason = "the limit of open files allows no more"};
	*ret_limits = limits;
	return 0;
}
