/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SYS_RESOLV_H
#define SYS_RESOLV_H

#include <stdbool.h>
#include <stddef.h>

#include "base/names.h"

/*
 * The cluster's DNS domain, as the kubelet writes it into each pod's resolver configuration: the search list contains
 * <namespace>.svc.<domain>, svc.<domain> and <domain>.
 * https://kubernetes.io/docs/concepts/services-networking/dns-pod-service/ and resolv.conf(5)
 */

/*
 * Finds the domain after "svc." in the text of a resolv.conf. As for the resolver, the last `search` line counts.
 * Returns false, and writes nothing, if the list has no such entry.
 */
bool resolv_find_domain(const char *text, char ret_domain[DNS_NAME_MAX + 1]);

/* The same for a file; false if it can't be read. */
bool resolv_read_domain(const char *path, char ret_domain[DNS_NAME_MAX + 1]);

#endif
