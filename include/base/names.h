/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_NAMES_H
#define BASE_NAMES_H

#include <stdbool.h>

/*
 * The names that Kubernetes and DNS allow. https://kubernetes.io/docs/concepts/overview/working-with-objects/names/
 */

enum {
	DNS_LABEL_MAX = 63,
	DNS_NAME_MAX = 253,
};

/* RFC 1123 label: lower-case letters, digits and '-', which is neither first nor last; 1 to 63 characters. */
bool name_is_dns_label(const char *name);

/* RFC 1123 subdomain: labels joined by '.', at most 253 characters, no final dot. */
bool name_is_dns_name(const char *name);

/* Only digits, no leading zero except for "0" itself, at most max. */
bool name_parse_decimal(const char *text, unsigned max, unsigned *ret_number);

#endif
