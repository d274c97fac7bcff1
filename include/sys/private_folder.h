/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SYS_PRIVATE_FOLDER_H
#define SYS_PRIVATE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/compiler.h"
#include "base/error.h"

/*
 * A folder of files that only their owner may read. Errors are ERROR_SYSTEM unless noted otherwise, and name the file.
 * Not thread-safe. Processes that write to one folder take turns (by flock, where the file system supports it).
 */

struct private_folder {
	int fd;           /* -1: not open */
	const char *path; /* as given to private_folder_open, borrowed: for messages */
};

struct private_folder_file {
	const char *name; /* in the folder, without a slash */
	const struct buf *content;
};

/* Opens the folder; `create` makes a missing one, mode 0700, but not its parents. */
MUST_CHECK int private_folder_open(struct private_folder *folder, const char *path, bool create, struct error *err);

/* Closes it. Accepts a folder whose private_folder_open failed, and one that is {.fd = -1}. */
void private_folder_release(struct private_folder *folder);

/*
 * Writes the files, mode 0600 from the moment they exist: first all of them under temporary names, flushed to the disk,
 * then all are renamed. A failure before the first rename leaves the folder as it was. A later one (only a disk error
 * can cause it) removes the renamed files again, unless they replaced others. A crash between two renames can leave
 * some of the files.
 *
 * Without `replace` an existing file is not touched: ERROR_INVALID names the first one. Nothing protects against
 * another program that creates such a file meanwhile.
 */
MUST_CHECK int private_folder_write(struct private_folder *folder, const struct private_folder_file *files,
				    size_t count, bool replace, struct error *err);

/* Adds a file's bytes to an empty buffer; ERROR_INVALID if they do not fit. */
MUST_CHECK int private_folder_read(struct private_folder *folder, const char *name, struct buf *content,
				   struct error *err);

#endif
