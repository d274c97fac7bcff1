/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SYS_FILE_H
#define SYS_FILE_H

#include "base/buf.h"
#include "base/compiler.h"
#include "base/error.h"

/*
 * Reading whole files. Thread-safe.
 */

/* For CLEANUP: closes the descriptor, unless it is -1. */
void file_close(const int *fd);

/*
 * Adds everything that a descriptor yields to the buffer, leaving no copy elsewhere. Returns -1 with errno set: EFBIG
 * if it does not fit.
 */
MUST_CHECK int file_read_descriptor(int fd, struct buf *content);

/* The same for a path. ERROR_SYSTEM if it can't be read, ERROR_INVALID if it does not fit; both messages name it. */
MUST_CHECK int file_read(const char *path, struct buf *content, struct error *err);

#endif
