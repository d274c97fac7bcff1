/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_LIMITS_H
#define CORE_LIMITS_H

#include <stddef.h>

/*
 * How much of everything a review may take. The server, the commands and the rules all go by these.
 */

/* The largest body that is read: an object and the one before it, 3 MiB each at most, and the rest of a review. */
#define REVIEW_MAX_BODY      ((size_t)7 * 1024 * 1024)
#define REVIEW_MAX_BODY_TEXT "7 MiB"

/* The memory that connections and reviews share, where the admin says nothing else: `serve --memory`'s default. */
#define REVIEW_DEFAULT_MEMORY      ((size_t)32 * 1024 * 1024)
#define REVIEW_DEFAULT_MEMORY_TEXT "32Mi"

/* What one review may use of the memory that all share: all but the largest body, and 3 MiB for small reviews. */
#define REVIEW_ARENA_MAX(memory) ((memory)-REVIEW_MAX_BODY - (size_t)3 * 1024 * 1024)

/* Stack that a thread needs to answer reviews: cJSON recurses 1,000 levels deep, 512 KiB of stack under a sanitizer. */
#define REVIEW_STACK_SIZE ((size_t)1024 * 1024)

#endif
