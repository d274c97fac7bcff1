/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_KEYS_H
#define CORE_KEYS_H

/*
 * Every label, annotation and variable that the webhook reads or writes.
 */

#define ANNOTATION_PREFIX "tfconfig.dev/"

/* The stamps that the webhook itself puts on the pod template: a label, which is also the annotation that opts in, … */
#define INJECT_KEY ANNOTATION_PREFIX "inject"
/* … and an annotation. */
#define GROUP_KEY ANNOTATION_PREFIX "group"

/* What the user writes, on a StatefulSet or on its pod template. */
#define CLUSTER_KEY    ANNOTATION_PREFIX "cluster"
#define PORT_KEY       ANNOTATION_PREFIX "port"
#define ADDRESS_KEY    ANNOTATION_PREFIX "address"
#define RPC_LAYER_KEY  ANNOTATION_PREFIX "rpc-layer"
#define SPARSE_KEY     ANNOTATION_PREFIX "sparse"
#define CONTAINERS_KEY ANNOTATION_PREFIX "containers"
#define WAIT_KEY       ANNOTATION_PREFIX "wait"

/* The labels that the webhook puts on a pod. */
#define ROLE_LABEL  ANNOTATION_PREFIX "role"
#define INDEX_LABEL ANNOTATION_PREFIX "index"

/* What Kubernetes itself writes on pods, and stage 2 reads. */
#define MIRROR_ANNOTATION "kubernetes.io/config.mirror"
#define POD_INDEX_LABEL   "apps.kubernetes.io/pod-index"

/* The variable of a container that TensorFlow reads. */
#define VARIABLE "TF_CONFIG"

#endif
