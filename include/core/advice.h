/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_ADVICE_H
#define CORE_ADVICE_H

#include "core/compile.h"
#include "core/verdict.h"

/*
 * Advice on a StatefulSet that opted in: what is allowed and yet known to keep training from working. Given as
 * warnings, which kubectl prints; on a pod, no one would see them.
 */

/* `subject` has been compiled. */
void advice_give(const struct compilation *subject, struct verdict *verdict);

#endif
