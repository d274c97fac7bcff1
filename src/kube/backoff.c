/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/backoff.h"

static unsigned longest_delay(const struct backoff *backoff)
{
	unsigned delay = backoff->base;

	for (unsigned i = 1; i < backoff->failures && delay < backoff->cap; i++)
		delay = delay > backoff->cap / 2 ? backoff->cap : delay * 2;
	return delay < backoff->cap ? delay : backoff->cap;
}

unsigned backoff_next(struct backoff *backoff, unsigned random)
{
	unsigned longest;

	if (backoff->failures < 32) /* doublings of an unsigned: more make no difference */
		backoff->failures++;
	longest = longest_delay(backoff);
	return longest - random % (longest / 2 + 1);
}

unsigned backoff_after_end(struct backoff *backoff, bool in_order, unsigned random)
{
	const unsigned delay = backoff_next(backoff, random);

	return in_order && backoff->failures == 1 ? 0 : delay;
}

void backoff_reset(struct backoff *backoff)
{
	backoff->failures = 0;
}
