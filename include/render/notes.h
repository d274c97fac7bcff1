#ifndef RENDER_NOTES_H
#define RENDER_NOTES_H

#include "base/buf.h"
#include "base/compiler.h"

/*
 * What a user should hear beside the verdicts: what was not checked, and what kubectl would pass over in silence. One
 * line each, in the order in which they came up; what passes 64 KiB is left out.
 */

struct notes {
	struct buf text; /* lines: "note: ", the text, a line end */
};

void notes_init(struct notes *notes);
void notes_release(struct notes *notes);

/* Adds a line. Control characters in it become '?'. */
void notes_add(struct notes *notes, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
