/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SAME_VERDICT_H
#define SAME_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/*
 * True where the rules say the same of a review whether they see all of it or the members alone that review_members
 * keeps: stage 1 and stage 2, with what they would like to see of the cluster and what they say once they saw it. True
 * too where the text is refused both ways, or where the arena, which must be the thread's, gets full. The unit tests
 * and the fuzzer share it.
 */
bool same_verdict(struct arena *arena, const char *text, size_t len);

#endif
