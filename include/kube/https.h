#ifndef KUBE_HTTPS_H
#define KUBE_HTTPS_H

#include <stdbool.h>

#include <curl/curl.h>

#include "base/compiler.h"

/*
 * What the files of src/kube share of libcurl; internal to src/kube, so that libcurl's types stay below the headers
 * that use it.
 *
 * libcurl is initialised once in the process, by whoever comes first, and overwrites whatever memory it frees: tokens
 * and keys pass through it. The process must ignore SIGPIPE.
 */

/* Initialises libcurl. Thread-safe. -1 where it finds no memory. */
MUST_CHECK int https_init(void);

/*
 * A handle that speaks HTTPS alone, with TLS 1.2 or newer, sends no signal, obeys no proxy variable, follows no
 * redirect and trusts no CA until the caller names some. NULL where memory is gone. The caller owns it.
 */
MUST_CHECK CURL *https_new(void);

/* NULL is allowed. */
void https_free(CURL **handle);

/* curl_easy_setopt of a number or a string (which libcurl copies). False where memory is gone. */
MUST_CHECK bool https_set(CURL *handle, CURLoption option, long value);
MUST_CHECK bool https_set_string(CURL *handle, CURLoption option, const char *value);

/* What libcurl says about a failure. `details` is its CURLOPT_ERRORBUFFER, which it may have left empty. */
const char *https_problem(CURLcode code, char details[CURL_ERROR_SIZE]);

#endif
