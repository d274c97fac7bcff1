/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_CONFIG_H
#define CORE_CONFIG_H

/* What the rules need to know of the cluster and of the webhook. */
struct review_config {
	const char *cluster_domain; /* such as "cluster.local", a valid DNS name; "" where unknown: names end at .svc */
	const char *wait_image; /* of the init container that waits; NULL: none is added, and asking for it is denied */
};

#endif
