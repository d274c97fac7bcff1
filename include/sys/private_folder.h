#ifndef SYS_PRIVATE_FOLDER_H
#define SYS_PRIVATE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/compiler.h"
#include "base/error.h"

/*
 * A folder of files that only their owner may read. Errors are ERROR_SYSTEM unless said otherwise and name the file.
 * Not thread-safe; two processes may write to one folder, one after the other (flock, where the file system has it).
 */

struct private_folder {
	int fd;           /* -1: not open */
	const char *path; /* as given to private_folder_open, borrowed: for messages */
};

struct private_folder_file {
	const char *name; /* in the folder, without a slash */
	const struct buf *content;
};

/* Opens the folder; with `create` a missing one is made, mode 0700, but not the folders above it. */
MUST_CHECK int private_folder_open(struct private_folder *folder, const char *path, bool create, struct error *err);

/* Closes it. Takes a folder whose private_folder_open failed, and one that is {.fd = -1}. */
void private_folder_release(struct private_folder *folder);

/*
 * Writes the files, mode 0600 from the moment they exist: all under temporary names and to the disk first, then all
 * renamed. A failure before the first rename leaves the folder as it was; one after it (which takes a defect of the
 * disk) takes the renamed files away again unless they replaced others. A crash between two renames can leave a part.
 *
 * Without `replace` a file that is there is not touched: ERROR_INVALID naming the first one. Two that write the same
 * folder take turns; another program that makes such a file meanwhile is not guarded against.
 */
MUST_CHECK int private_folder_write(struct private_folder *folder, const struct private_folder_file *files,
				    size_t count, bool replace, struct error *err);

/* Adds a file's bytes to an empty buffer; ERROR_INVALID where they do not fit. */
MUST_CHECK int private_folder_read(struct private_folder *folder, const char *name, struct buf *content,
				   struct error *err);

#endif
