/* SPDX-License-Identifier: Apache-2.0 */
#include "wait/progress.h"

enum { PROGRESS_REPEAT = 30 * 1000 }; /* milliseconds */

uint64_t progress_next(const struct progress *progress)
{
	return progress->at + PROGRESS_REPEAT;
}

bool progress_is_due(struct progress *progress, size_t resolved, bool round_over, uint64_t now)
{
	bool changed = round_over && (!progress->reported || resolved != progress->resolved);

	if (!changed && now < progress_next(progress))
		return false;
	*progress = (struct progress){.reported = true, .resolved = resolved, .at = now};
	return true;
}
