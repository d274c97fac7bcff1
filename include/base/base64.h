/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/*
 * Standard base64 (RFC 4648, section 4) on one line, as in admission responses and Secrets. libb64 does the work; this
 * hides its habits: line breaks, int lengths, no NUL.
 */

/* The text, NUL-terminated, or NULL if the arena is full. */
char *base64_encode(struct arena *arena, const char *bytes, size_t len);

/* The same as a JSON string, with its quotes. */
char *base64_encode_quoted(struct arena *arena, const char *bytes, size_t len);

/* Whether the text is what base64_encode writes: one line, padded, no stray bits, nothing else. "" counts. */
bool base64_is_valid(const char *text);

/* The bytes, followed by a NUL, or NULL if the arena is full. Characters that are not base64 are skipped. */
char *base64_decode(struct arena *arena, const char *text, size_t *ret_len);

#endif
