/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/transfer.h"

#include <stdio.h>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "base/text.h"
#include "kube/https.h"
#include "sys/file.h"
#include "version.h"

enum {
	TOKEN_MAX = 64 * 1024, /* bytes */
	URL_MAX = 8 * 1024,
	/* Together they detect a dead connection after a minute. */
	PROBE_AFTER = 30, /* seconds of silence */
	PROBE_EVERY = 10, /* seconds */
	PROBES = 3,
};

/* A token is one printable word; anything else could end the header and start another. */
static int check_token(const char *token, size_t len, const char *path, struct error *err)
{
	for (size_t i = 0; i < len; i++) {
		if (token[i] < '!' || token[i] > '~')
			return error_set(err, ERROR_INVALID, "%s does not hold a token", path);
	}
	return len > 0 ? 0 : error_set(err, ERROR_INVALID, "%s is empty", path);
}

static int add_header(struct curl_slist **headers, const char *header, struct error *err)
{
	struct curl_slist *longer = curl_slist_append(*headers, header);

	if (!longer)
		return error_set(err, ERROR_NO_MEMORY, "no memory for a request");
	*headers = longer;
	return 0;
}

static int add_token(struct curl_slist **headers, const char *path, struct error *err)
{
	CLEANUP(buf_release) struct buf content = {0};
	CLEANUP(buf_release) struct buf header = {0};
	const char *token;
	size_t len;

	buf_init_secret(&content, TOKEN_MAX);
	buf_init_secret(&header, TOKEN_MAX + 64);
	if (file_read(path, &content, err) < 0)
		return -1;
	token = buf_string(&content);
	len = text_trim(&token, content.len);
	if (check_token(token, len, path, err) < 0)
		return -1;
	buf_add_string(&header, "Authorization: Bearer ");
	buf_add(&header, token, len);
	if (header.failed)
		return error_set(err, ERROR_NO_MEMORY, "no memory for a request");
	return add_header(headers, buf_string(&header), err);
}

static int add_headers(struct transfer *transfer, const struct kube_client_config *config,
		       const struct kube_request *request, struct error *err)
{
	char content_type[128];
	char accept[128];

	snprintf(accept, sizeof(accept), "Accept: %s", request->accept ? request->accept : "application/json");
	if (add_token(&transfer->headers, config->token_file, err) < 0 ||
	    add_header(&transfer->headers, accept, err) < 0)
		return -1;
	if (!request->body)
		return 0;
	snprintf(content_type, sizeof(content_type), "Content-Type: %s", request->content_type);
	/* Without an empty Expect, libcurl waits a second for a 100 before it sends a large body. */
	if (add_header(&transfer->headers, content_type, err) < 0 || add_header(&transfer->headers, "Expect:", err) < 0)
		return -1;
	return 0;
}

static int limit_probes(void *context, curl_socket_t fd, curlsocktype purpose)
{
	int probes = PROBES;

	(void)context;
	(void)purpose;
	/* Best effort: without it, the system's number applies. */
	(void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof(probes));
	return CURL_SOCKOPT_OK;
}

static bool set_connection(CURL *easy, const struct kube_client_config *config)
{
	/* libcurl would cache the CAs of a file for a day, while the kubelet may replace it. */
	return https_set_string(easy, CURLOPT_CAINFO, config->ca_file) &&
	       https_set(easy, CURLOPT_CA_CACHE_TIMEOUT, 0) && https_set(easy, CURLOPT_TCP_KEEPALIVE, 1) &&
	       https_set(easy, CURLOPT_TCP_KEEPIDLE, PROBE_AFTER) &&
	       https_set(easy, CURLOPT_TCP_KEEPINTVL, PROBE_EVERY) &&
	       curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, limit_probes) == CURLE_OK;
}

static bool set_url(CURL *easy, const char *server, const char *path)
{
	CLEANUP(buf_release) struct buf url = {0};

	buf_init(&url, URL_MAX);
	buf_addf(&url, "%s%s", server, path);
	return !url.failed && https_set_string(easy, CURLOPT_URL, buf_string(&url)) &&
	       https_set(easy, CURLOPT_PATH_AS_IS, 1);
}

static bool set_request(struct transfer *transfer, const struct kube_client_config *config,
			const struct kube_request *request)
{
	CURL *easy = transfer->easy;

	/* The body comes first, because it makes the method a POST. */
	return (!request->body || curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request->body) == CURLE_OK) &&
	       https_set_string(easy, CURLOPT_CUSTOMREQUEST, request->method) &&
	       set_url(easy, config->server, request->path) &&
	       https_set_string(easy, CURLOPT_USERAGENT, "tfconfig-webhook/" TFCONFIG_WEBHOOK_VERSION) &&
	       curl_easy_setopt(easy, CURLOPT_HTTPHEADER, transfer->headers) == CURLE_OK;
}

static bool set_answer(struct transfer *transfer, unsigned timeout, const struct transfer_sink *sink)
{
	return https_set(transfer->easy, CURLOPT_TIMEOUT_MS, timeout) &&
	       curl_easy_setopt(transfer->easy, CURLOPT_WRITEFUNCTION, sink->write) == CURLE_OK &&
	       curl_easy_setopt(transfer->easy, CURLOPT_WRITEDATA, sink->context) == CURLE_OK &&
	       curl_easy_setopt(transfer->easy, CURLOPT_ERRORBUFFER, transfer->details) == CURLE_OK;
}

int transfer_init(struct transfer *transfer, const struct kube_client_config *config,
		  const struct kube_request *request, unsigned timeout, const struct transfer_sink *sink,
		  struct error *err)
{
	*transfer = (struct transfer){.easy = https_new()};
	if (!transfer->easy)
		error_set(err, ERROR_NO_MEMORY, "no memory for a request");
	else if (add_headers(transfer, config, request, err) == 0) {
		if (set_connection(transfer->easy, config) && set_request(transfer, config, request) &&
		    set_answer(transfer, timeout, sink))
			return 0;
		error_set(err, ERROR_NO_MEMORY, "no memory for a request");
	}
	transfer_release(transfer);
	return -1;
}

void transfer_release(struct transfer *transfer)
{
	https_free(&transfer->easy);
	curl_slist_free_all(transfer->headers);
	*transfer = (struct transfer){0};
}

long transfer_code(const struct transfer *transfer)
{
	long code = 0;

	curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &code);
	return code;
}
