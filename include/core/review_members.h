/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_REVIEW_MEMBERS_H
#define CORE_REVIEW_MEMBERS_H

#include "base/prune.h"

/*
 * The members of a review that rules read, of a pod and of a StatefulSet at once; nothing else reaches them. A rule
 * that reads one more member finds it absent until it is added here.
 */
extern const struct prune_member review_members[];

#endif
