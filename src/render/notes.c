/* SPDX-License-Identifier: Apache-2.0 */
#include "render/notes.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/text.h"

enum {
	NOTE_MAX = 1024, /* bytes of one */
	NOTES_MAX = 64 * 1024,
};

void notes_init(struct notes *notes)
{
	buf_init(&notes->text, NOTES_MAX);
}

void notes_release(struct notes *notes)
{
	buf_release(&notes->text);
}

void notes_add(struct notes *notes, const char *format, ...)
{
	char text[NOTE_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	text_clean(text);
	buf_addf(&notes->text, "note: %s\n", text);
}
