/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NET_LISTEN_H
#define NET_LISTEN_H

#include <sys/socket.h>

#include "base/error.h"

/*
 * Listening sockets. They are bound here rather than by the HTTP library, so that an error names the address, and the
 * port that 0 became can be logged.
 */

enum { LISTEN_TEXT_MAX = 64 }; /* an address as text, with its port and NUL */

struct listen_address {
	struct sockaddr_storage address;
	socklen_t len;
};

/*
 * Parses "ADDR:PORT": an IPv4 address, an IPv6 address in brackets, or nothing for [::]. Names are not looked up.
 * ERROR_USAGE names the text.
 */
MUST_CHECK int listen_parse(const char *text, struct listen_address *ret_address, struct error *err);

/*
 * Binds and listens, without blocking. [::] accepts IPv4 connections too, and becomes 0.0.0.0 on a host without IPv6.
 * Returns the descriptor, which the caller owns, and its actual address; -1 with ERROR_SYSTEM, which names the address
 * asked for.
 */
MUST_CHECK int listen_open(const struct listen_address *address, struct listen_address *ret_actual, struct error *err);

/*
 * How a client on this host reaches the socket: writes the host's address, without brackets, and returns the port. For
 * [::] and 0.0.0.0 that is 127.0.0.1, which also works when IPv6 is disabled.
 */
unsigned listen_reach(const struct listen_address *address, char ret_host[LISTEN_TEXT_MAX]);

/* An IPv4 or IPv6 address as text, "?" for another family. Thread-safe. */
void listen_format(const struct sockaddr *address, char ret_text[LISTEN_TEXT_MAX]);

#endif
