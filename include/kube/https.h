/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_HTTPS_H
#define KUBE_HTTPS_H

#include <stdbool.h>

#include <curl/curl.h>

#include "base/compiler.h"

/*
 * What transfers and the self-check share of libcurl. Internal to src/kube and src/rotation, so that libcurl's types do
 * not spread through other headers.
 *
 * libcurl is initialised once in the process, by the first caller, and overwrites all memory that it frees, because
 * tokens and keys pass through it. The process must ignore SIGPIPE.
 */

/* Initialises libcurl. Thread-safe. -1 if there is no memory. */
MUST_CHECK int https_init(void);

/*
 * A handle that speaks only HTTPS, with TLS 1.2 or newer, raises no signals, ignores proxy variables, follows no
 * redirects, and trusts no CA until the caller names some. NULL if there is no memory. The caller owns it.
 */
MUST_CHECK CURL *https_new(void);

/* NULL is allowed. */
void https_free(CURL **handle);

/* curl_easy_setopt of a number or a string (which libcurl copies). False if there is no memory. */
MUST_CHECK bool https_set(CURL *handle, CURLoption option, long value);
MUST_CHECK bool https_set_string(CURL *handle, CURLoption option, const char *value);

/* What libcurl says about a failure. `details` is its CURLOPT_ERRORBUFFER, which may be empty and is changed. */
const char *https_problem(CURLcode code, char details[CURL_ERROR_SIZE]);

#endif
