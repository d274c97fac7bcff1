/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_NOTES_H
#define RENDER_NOTES_H

#include "base/buf.h"
#include "base/compiler.h"

/*
 * Notes to the user in addition to the verdicts: what was not checked, and what kubectl would silently ignore. One line
 * each, in the order in which they came up. Notes beyond 64 KiB in total are left out. Not thread-safe.
 */

struct notes {
	struct buf text; /* lines, each "note: " and the text */
};

void notes_init(struct notes *notes);
void notes_release(struct notes *notes);

/* Adds a line. Control characters in it become '?'. */
void notes_add(struct notes *notes, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
