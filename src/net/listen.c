/* SPDX-License-Identifier: Apache-2.0 */
#include "net/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/names.h"

static void set_ipv6(struct listen_address *address, const struct in6_addr *host, unsigned port)
{
	struct sockaddr_in6 ipv6 = {.sin6_family = AF_INET6, .sin6_addr = *host, .sin6_port = htons((uint16_t)port)};

	*address = (struct listen_address){.len = sizeof(ipv6)};
	memcpy(&address->address, &ipv6, sizeof(ipv6));
}

static void set_ipv4(struct listen_address *address, struct in_addr host, unsigned port)
{
	struct sockaddr_in ipv4 = {.sin_family = AF_INET, .sin_addr = host, .sin_port = htons((uint16_t)port)};

	*address = (struct listen_address){.len = sizeof(ipv4)};
	memcpy(&address->address, &ipv4, sizeof(ipv4));
}

int listen_parse(const char *text, struct listen_address *ret_address, struct error *err)
{
	const char *colon = strrchr(text, ':');
	size_t len = colon ? (size_t)(colon - text) : 0;
	char host[INET6_ADDRSTRLEN + 2] = "";
	struct in6_addr ipv6 = IN6ADDR_ANY_INIT;
	struct in_addr ipv4;
	unsigned port;

	if (!colon || len >= sizeof(host) || !name_parse_decimal(colon + 1, 65535, &port))
		return error_set(err, ERROR_USAGE, "\"%s\" is not ADDR:PORT, such as [::]:8443", text);
	memcpy(host, text, len);
	if (len == 0) {
		set_ipv6(ret_address, &ipv6, port);
		return 0;
	}
	if (inet_pton(AF_INET, host, &ipv4) == 1) {
		set_ipv4(ret_address, ipv4, port);
		return 0;
	}
	if (host[0] == '[' && host[len - 1] == ']') {
		host[len - 1] = '\0';
		if (inet_pton(AF_INET6, host + 1, &ipv6) == 1) {
			set_ipv6(ret_address, &ipv6, port);
			return 0;
		}
	}
	return error_set(err, ERROR_USAGE, "\"%s\" does not begin with an IPv4 address or an IPv6 address in brackets",
			 text);
}

void listen_format(const struct sockaddr *address, char ret_text[LISTEN_TEXT_MAX])
{
	char host[INET6_ADDRSTRLEN] = "";
	struct sockaddr_in6 ipv6;
	struct sockaddr_in ipv4;

	if (address->sa_family == AF_INET6) {
		memcpy(&ipv6, address, sizeof(ipv6));
		inet_ntop(AF_INET6, &ipv6.sin6_addr, host, sizeof(host));
		snprintf(ret_text, LISTEN_TEXT_MAX, "[%s]:%u", host, (unsigned)ntohs(ipv6.sin6_port));
	} else if (address->sa_family == AF_INET) {
		memcpy(&ipv4, address, sizeof(ipv4));
		inet_ntop(AF_INET, &ipv4.sin_addr, host, sizeof(host));
		snprintf(ret_text, LISTEN_TEXT_MAX, "%s:%u", host, (unsigned)ntohs(ipv4.sin_port));
	} else {
		snprintf(ret_text, LISTEN_TEXT_MAX, "?");
	}
}

/* Returns the descriptor or -1 with errno. */
static int open_socket(const struct listen_address *address)
{
	const struct sockaddr *generic = (const struct sockaddr *)&address->address;
	int fd = socket(generic->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	const int on = 1, off = 0;
	int failure;

	if (fd < 0)
		return -1;
	/* After a quick restart the port is still in TIME_WAIT. If an option fails, bind does. */
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (generic->sa_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	if (bind(fd, generic, address->len) == 0 && listen(fd, SOMAXCONN) == 0)
		return fd;
	failure = errno;
	close(fd);
	errno = failure;
	return -1;
}

static bool is_ipv6_any(const struct listen_address *address)
{
	struct sockaddr_in6 ipv6;

	memcpy(&ipv6, &address->address, sizeof(ipv6));
	return ipv6.sin6_family == AF_INET6 && IN6_IS_ADDR_UNSPECIFIED(&ipv6.sin6_addr);
}

static struct listen_address ipv4_any(const struct listen_address *ipv6_any)
{
	const struct in_addr any = {.s_addr = htonl(INADDR_ANY)};
	struct listen_address address;
	struct sockaddr_in6 ipv6;

	memcpy(&ipv6, &ipv6_any->address, sizeof(ipv6));
	set_ipv4(&address, any, ntohs(ipv6.sin6_port));
	return address;
}

int listen_open(const struct listen_address *address, struct listen_address *ret_actual, struct error *err)
{
	const struct sockaddr *generic = (const struct sockaddr *)&address->address;
	char asked[LISTEN_TEXT_MAX];
	struct listen_address actual = {.len = sizeof(actual.address)};
	int fd = open_socket(address);

	if (fd < 0 && is_ipv6_any(address) && (errno == EAFNOSUPPORT || errno == EADDRNOTAVAIL)) {
		const struct listen_address fallback = ipv4_any(address);

		fd = open_socket(&fallback);
	}
	listen_format(generic, asked);
	if (fd < 0)
		return error_set(err, ERROR_SYSTEM, "cannot listen on %s: %s", asked, strerror(errno));
	if (getsockname(fd, (struct sockaddr *)&actual.address, &actual.len) < 0) {
		error_set(err, ERROR_SYSTEM, "cannot listen on %s: %s", asked, strerror(errno));
		close(fd);
		return -1;
	}
	*ret_actual = actual;
	return fd;
}

unsigned listen_reach(const struct listen_address *address, char ret_host[LISTEN_TEXT_MAX])
{
	const struct in_addr loopback = {.s_addr = htonl(INADDR_LOOPBACK)};
	struct sockaddr_in6 ipv6;
	struct sockaddr_in ipv4;

	if (address->address.ss_family == AF_INET6) {
		memcpy(&ipv6, &address->address, sizeof(ipv6));
		if (is_ipv6_any(address))
			inet_ntop(AF_INET, &loopback, ret_host, LISTEN_TEXT_MAX);
		else
			inet_ntop(AF_INET6, &ipv6.sin6_addr, ret_host, LISTEN_TEXT_MAX);
		return ntohs(ipv6.sin6_port);
	}
	memcpy(&ipv4, &address->address, sizeof(ipv4));
	if (ipv4.sin_addr.s_addr == htonl(INADDR_ANY))
		ipv4.sin_addr = loopback;
	inet_ntop(AF_INET, &ipv4.sin_addr, ret_host, LISTEN_TEXT_MAX);
	return ntohs(ipv4.sin_port);
}
