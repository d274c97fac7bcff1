/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PKI_SERVICE_NAMES_H
#define PKI_SERVICE_NAMES_H

#include <stddef.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/names.h"

/*
 * The DNS names under which clients reach a Service. The API server asks for the first one (as the SNI and the name
 * that it checks); people and probes inside the cluster use the others.
 */

enum { SERVICE_NAMES_MAX = 4 };

struct service_names {
	size_t count;
	char dns[SERVICE_NAMES_MAX][DNS_NAME_MAX + 1]; /* SVC.NS.svc, SVC, SVC.NS, and SVC.NS.svc.DOMAIN if known */
};

/*
 * Service and namespace must be DNS labels; the domain is "" if unknown. Returns -1 with ERROR_INVALID for any other
 * name, and if the domain makes a name longer than DNS allows. Owns nothing.
 */
MUST_CHECK int service_names_init(struct service_names *names, const char *service, const char *namespace,
				  const char *domain, struct error *err);

#endif
