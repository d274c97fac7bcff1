/* SPDX-License-Identifier: Apache-2.0 */
#include "base/budget.h"

void budget_init(struct budget *budget, size_t limit)
{
	atomic_init(&budget->used, 0);
	budget->limit = limit;
}

bool budget_take(struct budget *budget, size_t bytes)
{
	size_t used = atomic_load_explicit(&budget->used, memory_order_relaxed);

	do {
		if (bytes > budget->limit - used)
			return false;
	} while (!atomic_compare_exchange_weak_explicit(&budget->used, &used, used + bytes, memory_order_relaxed,
							memory_order_relaxed));
	return true;
}

void budget_give(struct budget *budget, size_t bytes)
{
	atomic_fetch_sub_explicit(&budget->used, bytes, memory_order_relaxed);
}

size_t budget_used(struct budget *budget)
{
	return atomic_load_explicit(&budget->used, memory_order_relaxed);
}
