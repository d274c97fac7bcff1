/* SPDX-License-Identifier: Apache-2.0 */
#include "pki/service_names.h"

#include <stdio.h>

int service_names_init(struct service_names *names, const char *service, const char *namespace, const char *domain,
		       struct error *err)
{
	*names = (struct service_names){.count = 3};
	if (!name_is_dns_label(service))
		return error_set(err, ERROR_INVALID, "the Service's name \"%s\" is not a DNS label", service);
	if (!name_is_dns_label(namespace))
		return error_set(err, ERROR_INVALID, "the namespace \"%s\" is not a DNS label", namespace);
	snprintf(names->dns[0], sizeof(names->dns[0]), "%s.%s.svc", service, namespace);
	snprintf(names->dns[1], sizeof(names->dns[1]), "%s", service);
	snprintf(names->dns[2], sizeof(names->dns[2]), "%s.%s", service, namespace);
	if (domain[0]) {
		int len = snprintf(names->dns[3], sizeof(names->dns[3]), "%s.%s", names->dns[0], domain);

		if (len > DNS_NAME_MAX || !name_is_dns_name(names->dns[3]))
			return error_set(err, ERROR_INVALID,
					 "%s with the cluster domain \"%s\" is not a DNS name of at most %d characters",
					 names->dns[0], domain, DNS_NAME_MAX);
		names->count = 4;
	}
	return 0;
}
