/* SPDX-License-Identifier: Apache-2.0 */
#include "core/review_members.h"

#include "core/keys.h"

/* Of the object itself: a set's last-applied-configuration is as large as the set. */
static const struct prune_member labels[] = {{ANNOTATION_PREFIX, NULL}, {POD_INDEX_LABEL, NULL}, {NULL, NULL}};
static const struct prune_member annotations[] = {{ANNOTATION_PREFIX, NULL}, {MIRROR_ANNOTATION, NULL}, {NULL, NULL}};

static const struct prune_member owner[] = {
	{"apiVersion", NULL}, {"kind", NULL}, {"name", NULL}, {"controller", NULL}, {NULL, NULL},
};

static const struct prune_member metadata[] = {
	{"name", NULL},     {"generateName", NULL},       {"deletionTimestamp", NULL},
	{"labels", labels}, {"annotations", annotations}, {"ownerReferences", owner},
	{NULL, NULL},
};

/* Patches address containers and entries of env by position, so none is ever left out of its array. */
static const struct prune_member container[] = {{"name", NULL}, {"env", NULL}, {NULL, NULL}};

static const struct prune_member spec[] = {
	/* a pod's */
	{"subdomain", NULL},
	{"initContainers", container},
	{"containers", container},
	/* a StatefulSet's; its whole template is compared with the one before */
	{"replicas", NULL},
	{"serviceName", NULL},
	{"template", NULL},
	{"selector", NULL},
	{"ordinals", NULL},
	{"podManagementPolicy", NULL},
	{"updateStrategy", NULL},
	{NULL, NULL},
};

static const struct prune_member object[] = {{"metadata", metadata}, {"spec", spec}, {NULL, NULL}};

static const struct prune_member resource[] = {{"group", NULL}, {"resource", NULL}, {NULL, NULL}};

static const struct prune_member request[] = {
	{"uid", NULL},       {"resource", resource}, {"subResource", NULL}, {"operation", NULL}, {"name", NULL},
	{"namespace", NULL}, {"object", object},     {"oldObject", object}, {NULL, NULL},
};

const struct prune_member review_members[] = {
	{"apiVersion", NULL},
	{"kind", NULL},
	{"request", request},
	{NULL, NULL},
};
