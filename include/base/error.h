/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include "base/compiler.h"

/*
 * Errors as values. A function that can fail returns 0 or -1 and fills the caller's struct error; nothing is allocated
 * and nothing is global, so an error can be reported when memory is exhausted. Only main turns one into an exit code.
 */

enum error_code {
	ERROR_NONE,
	ERROR_USAGE,     /* the command line or a setting is wrong: exit 2 */
	ERROR_INVALID,   /* an input (a file, a certificate, a body) is not what it should be */
	ERROR_SYSTEM,    /* a system call failed: the message includes strerror's text */
	ERROR_NO_MEMORY, /* an allocation failed, or a limit on memory was reached */
};

struct error {
	enum error_code code;
	char message[512]; /* one line, no newline at its end */
};

/* Fills err (which may be NULL) and returns -1, so that a failure is one statement. A text that is too long is cut. */
int error_set(struct error *err, enum error_code code, const char *format, ...) PRINTF_LIKE(3, 4);

/* Puts "context: " before the message. Returns -1, like error_set. Each caller adds context at most once. */
int error_prefix(struct error *err, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
