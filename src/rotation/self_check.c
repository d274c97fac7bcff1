/* SPDX-License-Identifier: Apache-2.0 */
#include "rotation/self_check.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "kube/https.h"

enum { CHECK_TIMEOUT = 3000 }; /* milliseconds */

static void free_list(struct curl_slist **list)
{
	curl_slist_free_all(*list);
}

/* The URL's host is the name, for the SNI and the verification; the connection goes to the address. */
static bool set_peer(CURL *handle, const char *address, unsigned port, const char *name, struct curl_slist **ret_route)
{
	CLEANUP(buf_release) struct buf text = {0};

	buf_init(&text, 1024);
	buf_addf(&text, strchr(address, ':') ? "::[%s]:%u" : "::%s:%u", address, port);
	if (text.failed)
		return false;
	*ret_route = curl_slist_append(NULL, buf_string(&text));
	buf_release(&text);
	buf_addf(&text, "https://%s:%u/", name, port);
	return *ret_route && !text.failed && curl_easy_setopt(handle, CURLOPT_CONNECT_TO, *ret_route) == CURLE_OK &&
	       https_set_string(handle, CURLOPT_URL, buf_string(&text));
}

static bool set_check(CURL *handle, const struct buf *bundle, char details[CURL_ERROR_SIZE])
{
	const struct curl_blob blob = {.data = bundle->data, .len = bundle->len, .flags = CURL_BLOB_NOCOPY};

	return curl_easy_setopt(handle, CURLOPT_CAINFO_BLOB, &blob) == CURLE_OK &&
	       https_set(handle, CURLOPT_CONNECT_ONLY, 1) && https_set(handle, CURLOPT_TIMEOUT_MS, CHECK_TIMEOUT) &&
	       curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, details) == CURLE_OK;
}

enum self_check self_check(const char *address, unsigned port, const char *name, const char *bundle, struct error *err)
{
	/* The handle borrows what is declared before it, so it is declared last and freed first. */
	char details[CURL_ERROR_SIZE] = "";
	CLEANUP(buf_release) struct buf copy = {0};
	CLEANUP(free_list) struct curl_slist *route = NULL;
	CLEANUP(https_free) CURL *handle = https_new();
	CURLcode code;

	buf_init(&copy, strlen(bundle));
	buf_add_string(&copy, bundle);
	if (!handle || copy.failed || !set_peer(handle, address, port, name, &route) ||
	    !set_check(handle, &copy, details)) {
		error_set(err, ERROR_NO_MEMORY, "no memory to check our own certificate");
		return SELF_CHECK_UNKNOWN;
	}
	code = curl_easy_perform(handle);
	if (code == CURLE_OK)
		return SELF_CHECK_VERIFIED;
	error_set(err, ERROR_INVALID, "%s at %s, port %u: %s", name, address, port, https_problem(code, details));
	return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE ? SELF_CHECK_REFUSED
											  : SELF_CHECK_UNKNOWN;
}
