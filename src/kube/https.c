/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/https.h"

#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "pki/tls_context.h"

enum { CONNECT_TIMEOUT = 3000 }; /* milliseconds, for the name, TCP and TLS together */

static void wipe_and_free(void *memory)
{
	if (memory)
		explicit_bzero(memory, malloc_usable_size(memory));
	free(memory);
}

/* realloc may leave a copy in freed memory. */
static void *resize(void *memory, size_t size)
{
	const size_t before = memory ? malloc_usable_size(memory) : 0;
	void *resized = malloc(size);

	if (!resized)
		return NULL;
	if (memory)
		memcpy(resized, memory, before < size ? before : size);
	wipe_and_free(memory);
	return resized;
}

static CURLcode init_result;

static void init_libcurl(void)
{
	init_result = curl_global_init_mem(CURL_GLOBAL_DEFAULT, malloc, wipe_and_free, resize, strdup, calloc);
}

int https_init(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, init_libcurl);
	return init_result == CURLE_OK ? 0 : -1;
}

bool https_set(CURL *handle, CURLoption option, long value)
{
	return curl_easy_setopt(handle, option, value) == CURLE_OK;
}

bool https_set_string(CURL *handle, CURLoption option, const char *value)
{
	return curl_easy_setopt(handle, option, value) == CURLE_OK;
}

/* The system's folder of CAs, the default, would be trusted in addition to the file or bundle that a caller names. */
static bool trust_no_ca(CURL *handle)
{
	return https_set_string(handle, CURLOPT_CAPATH, NULL) && https_set_string(handle, CURLOPT_CAINFO, NULL);
}

static CURLcode wipe_plaintext(CURL *handle, void *ssl_ctx, void *context)
{
	(void)handle;
	(void)context;
	tls_context_wipe(ssl_ctx);
	return CURLE_OK;
}

/* An empty proxy, unlike an unset one, keeps libcurl from reading the environment. */
static bool go_direct(CURL *handle)
{
	return https_set_string(handle, CURLOPT_PROXY, "") && https_set_string(handle, CURLOPT_NOPROXY, "*") &&
	       https_set(handle, CURLOPT_FOLLOWLOCATION, 0);
}

/* With a quick exit, freeing a handle does not wait for a resolver that does not answer. */
static bool keep_control(CURL *handle)
{
	return https_set(handle, CURLOPT_NOSIGNAL, 1) && https_set(handle, CURLOPT_QUICK_EXIT, 1) &&
	       https_set(handle, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_TIMEOUT);
}

CURL *https_new(void)
{
	CLEANUP(https_free) CURL *handle = https_init() == 0 ? curl_easy_init() : NULL;

	if (!handle || !trust_no_ca(handle) || !go_direct(handle) || !keep_control(handle) ||
	    curl_easy_setopt(handle, CURLOPT_SSL_CTX_FUNCTION, wipe_plaintext) != CURLE_OK ||
	    !https_set_string(handle, CURLOPT_PROTOCOLS_STR, "https") ||
	    !https_set(handle, CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2) ||
	    !https_set(handle, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1))
		return NULL;
	return STEAL(handle);
}

void https_free(CURL **handle)
{
	curl_easy_cleanup(*handle);
}

const char *https_problem(CURLcode code, char details[CURL_ERROR_SIZE])
{
	char text[CURL_ERROR_SIZE];

	if (!details[0] || !text_is_utf8(details, strlen(details)))
		return curl_easy_strerror(code);
	text_clean(details);
	if (code != CURLE_SSL_CONNECT_ERROR)
		return details;
	/* This text is OpenSSL's own, and does not say what it is about. */
	memcpy(text, details, sizeof(text));
	snprintf(details, CURL_ERROR_SIZE, "the TLS handshake failed: %.200s", text);
	return details;
}
