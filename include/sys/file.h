#ifndef SYS_FILE_H
#define SYS_FILE_H

#include "base/buf.h"
#include "base/compiler.h"
#include "base/error.h"

/*
 * The files that the kubelet mounts into a pod. Internal to src/kube.
 */

/*
 * Adds a file's bytes to the buffer, leaving no copy elsewhere. ERROR_SYSTEM where it can't be read, ERROR_INVALID
 * where it does not fit; both name it.
 */
MUST_CHECK int file_read(const char *path, struct buf *content, struct error *err);

#endif
