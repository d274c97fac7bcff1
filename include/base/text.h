/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/*
 * Text for people to read: UTF-8, clipped and free of control characters, whatever the cluster contains.
 */

/* Whether the bytes are well-formed UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF). */
bool text_is_utf8(const char *bytes, size_t len);

/* What follows the first UTF-8 character of a text that ends with '\0'; NULL if that is not well-formed. */
const char *text_next_character(const char *text);

/* The longest len' <= max with which `text`, valid UTF-8 of len bytes, does not end inside a character. */
size_t text_clip(const char *text, size_t len, size_t max);

/* The text in double quotes, at most 80 bytes of it. NULL if the arena is full. */
const char *text_quote(struct arena *arena, const char *text);

/* Replaces each byte of a control character (U+0000 to U+001F, U+007F to U+009F) by '?', in place. */
void text_clean(char *text);

/* Strips blanks (space, tab, line ends) from both ends: moves the start, returns the length. */
size_t text_trim(const char **text, size_t len);

#endif
