/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_IN_CLUSTER_H
#define KUBE_IN_CLUSTER_H

#include "base/compiler.h"
#include "base/error.h"
#include "kube/api.h"

/*
 * The client configuration of a pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT, and the files `ca.crt`,
 * `token` and `namespace` of the folder that the kubelet mounts. ERROR_INVALID says what is missing or wrong.
 */
MUST_CHECK int kube_find_in_cluster(const char *folder, struct kube_client_config *ret_config, struct error *err);

#endif
