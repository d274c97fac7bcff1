/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_BUDGET_H
#define BASE_BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * The one bound on memory that requests can make the process hold: bodies in flight, arenas and answers take their
 * bytes from here before they allocate, and give them back after they free. Thread-safe.
 */

struct budget {
	atomic_size_t used; /* bytes */
	size_t limit;
};

void budget_init(struct budget *budget, size_t limit);

/* Takes bytes, or takes nothing and returns false if that would exceed the limit. */
bool budget_take(struct budget *budget, size_t bytes);

/* Gives back bytes that were taken. */
void budget_give(struct budget *budget, size_t bytes);

size_t budget_used(struct budget *budget);

#endif
