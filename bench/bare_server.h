/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BENCH_BARE_SERVER_H
#define BENCH_BARE_SERVER_H

#include <microhttpd.h>
#include <stddef.h>

/*
 * What libmicrohttpd can do at most: TLS, epoll and a pool of threads. No JSON, no log, no limits. The benches measure
 * the webhook against such servers in the same run.
 */

/* Makes the response to a request's body, which ends with a NUL; NULL closes the connection. */
typedef struct MHD_Response *bare_answer(const void *context, const char *body, size_t len);

/* The text of a file, which lives as long as the program; ends the program where it can't be read. */
char *bare_read_file(const char *path);

/* Serves on a free port of any address, which it prints, until SIGTERM. Returns the program's exit code. */
int bare_serve(const char *certificate, const char *key, const char *threads, bare_answer *answer, const void *context);

#endif
