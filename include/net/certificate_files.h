/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NET_CERTIFICATE_FILES_H
#define NET_CERTIFICATE_FILES_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/error.h"
#include "net/credentials.h"

/*
 * A certificate and its key from two files, which may be replaced while the server runs. Those of a mounted Secret are,
 * through the symbolic link `..data`. Not thread-safe.
 */

struct certificate_files {
	const char *certificate, *key;          /* borrowed */
	struct stat certificate_stat, key_stat; /* as of the last attempt to load */
};

/*
 * Loads the pair. The caller gives the reference back with credentials_unref. Errors name the file that is missing, is
 * unreadable, is not PEM, or does not match the other.
 */
MUST_CHECK int certificate_files_load(struct certificate_files *files, struct credentials **ret_credentials,
				      struct error *err);

/* Whether a file has changed since the last attempt to load. So a broken pair is tried only once. */
bool certificate_files_changed(const struct certificate_files *files);

/* Makes the next certificate_files_changed return true. */
void certificate_files_forget(struct certificate_files *files);

#endif
