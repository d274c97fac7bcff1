/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/in_cluster.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/names.h"
#include "base/text.h"
#include "sys/file.h"

/* An IP address or a DNS name: nothing that has another meaning in a URL. */
static bool is_host(const char *host)
{
	return host[0] && !host[strspn(host, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.:-")];
}

static int find_server(struct kube_client_config *config, struct error *err)
{
	const char *host = getenv("KUBERNETES_SERVICE_HOST");
	const char *port = getenv("KUBERNETES_SERVICE_PORT");
	const bool is_ipv6 = host && strchr(host, ':');
	unsigned number;
	int len;

	if (!host || !host[0] || !port)
		return error_set(err, ERROR_INVALID,
				 "this is not a pod of a cluster: KUBERNETES_SERVICE_HOST and "
				 "KUBERNETES_SERVICE_PORT are not set");
	if (!is_host(host))
		return error_set(err, ERROR_INVALID, "KUBERNETES_SERVICE_HOST is not an IP address or a host name");
	if (!name_parse_decimal(port, 65535, &number) || number == 0)
		return error_set(err, ERROR_INVALID, "KUBERNETES_SERVICE_PORT is not a port");
	len = snprintf(config->server, sizeof(config->server), is_ipv6 ? "https://[%s]:%u" : "https://%s:%u", host,
		       number);
	if (len < 0 || (size_t)len >= sizeof(config->server))
		return error_set(err, ERROR_INVALID, "KUBERNETES_SERVICE_HOST is too long");
	return 0;
}

/* The path of a file in the folder; fails if it is not readable. */
static int find_file(const char *folder, const char *name, char *ret_path, size_t size, struct error *err)
{
	const int len = snprintf(ret_path, size, "%s/%s", folder, name);

	if (len < 0 || (size_t)len >= size)
		return error_set(err, ERROR_INVALID, "the folder's name %s is too long", folder);
	if (access(ret_path, R_OK) < 0)
		return error_set(err, ERROR_INVALID, "%s: %s: a pod must mount its service account's token", ret_path,
				 strerror(errno));
	return 0;
}

static int read_namespace(const char *path, char ret_namespace[DNS_LABEL_MAX + 1], struct error *err)
{
	CLEANUP(buf_release) struct buf content = {0};
	const char *text;
	size_t len;

	buf_init(&content, 1024);
	if (file_read(path, &content, err) < 0)
		return -1;
	text = buf_string(&content);
	len = text_trim(&text, content.len);
	if (len <= DNS_LABEL_MAX) {
		memcpy(ret_namespace, text, len);
		ret_namespace[len] = '\0';
	}
	if (len > DNS_LABEL_MAX || !name_is_dns_label(ret_namespace))
		return error_set(err, ERROR_INVALID, "%s does not hold the name of a namespace", path);
	return 0;
}

int kube_find_in_cluster(const char *folder, struct kube_client_config *ret_config, struct error *err)
{
	struct kube_client_config config = {0};
	char namespace_file[sizeof(config.ca_file)];

	if (find_server(&config, err) < 0 ||
	    find_file(folder, "ca.crt", config.ca_file, sizeof(config.ca_file), err) < 0 ||
	    find_file(folder, "token", config.token_file, sizeof(config.token_file), err) < 0 ||
	    find_file(folder, "namespace", namespace_file, sizeof(namespace_file), err) < 0 ||
	    read_namespace(namespace_file, config.namespace, err) < 0)
		return -1;
	*ret_config = config;
	return 0;
}
