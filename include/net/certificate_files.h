#ifndef NET_CERTIFICATE_FILES_H
#define NET_CERTIFICATE_FILES_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/error.h"
#include "net/credentials.h"

/*
 * A certificate and its key from two files, which are replaced while the server runs: a mounted Secret's are, through
 * the symbolic link `..data`. Not thread-safe.
 */

struct certificate_files {
	const char *certificate, *key;          /* borrowed */
	struct stat certificate_stat, key_stat; /* as of the last attempt to load */
};

/*
 * Loads the pair. Returns one reference, which the caller gives back with credentials_unref. Errors name the file that
 * is missing, unreadable, no PEM, or of another pair.
 */
MUST_CHECK int certificate_files_load(struct certificate_files *files, struct credentials **ret_credentials, struct error *err);

/* Whether a file is another one than at the last attempt to load: a broken pair is tried once, not again and again. */
bool certificate_files_changed(const struct certificate_files *files);

/* Has the next look find them changed, whatever they are then. */
void certificate_files_forget(struct certificate_files *files);

#endif
