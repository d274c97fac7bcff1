#ifndef CORE_ORDINAL_H
#define CORE_ORDINAL_H

#include <stdbool.h>

/*
 * The ordinal of a StatefulSet's pod: what stands behind "<set>-" in its name.
 * https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#ordinal-index
 */

/*
 * Reads the ordinal of pod `pod` of set `set`. False where the name is not "<set>-<decimal without leading zero>":
 * set "a-1", pod "a-1-0" is 0, and pod "b-0" is none of set "a".
 */
bool ordinal_parse(const char *pod, const char *set, unsigned *ret_ordinal);

#endif
