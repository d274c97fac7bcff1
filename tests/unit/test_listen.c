/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/listen.h"
#include "suites.h"
#include "unit.h"

static void addresses_are_numbers_with_a_port(void)
{
	static const struct {
		const char *text;
		const char *parsed; /* NULL: refused */
	} rows[] = {
		{"[::]:8443", "[::]:8443"},
		{":8443", "[::]:8443"},
		{"127.0.0.1:0", "127.0.0.1:0"},
		{"0.0.0.0:65535", "0.0.0.0:65535"},
		{"[::1]:1", "[::1]:1"},
		{"[fe80::1:2:3:4]:80", "[fe80::1:2:3:4]:80"},
		{"[::ffff:1.2.3.4]:80", "[::ffff:1.2.3.4]:80"},
		{"", NULL},
		{"8443", NULL},
		{":", NULL},
		{":65536", NULL},
		{":-1", NULL},
		{":08443", NULL},
		{":84x", NULL},
		{"localhost:80", NULL},
		{"1.2.3:80", NULL},
		{"1.2.3.4.5:80", NULL},
		{"[1.2.3.4]:80", NULL},
		{"::1:80", NULL},
		{"[]:80", NULL},
		{"[:80", NULL},
		{"[::1:80", NULL},
		{"[0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000]:80", NULL},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct listen_address address;
		char text[LISTEN_TEXT_MAX];
		struct error err = {.message = ""};
		const int result = listen_parse(rows[i].text, &address, &err);

		CHECK_ROW((result == 0) == (rows[i].parsed != NULL), rows[i].text);
		if (result == 0) {
			listen_format((const struct sockaddr *)&address.address, text);
			CHECK_ROW(rows[i].parsed && strcmp(text, rows[i].parsed) == 0, rows[i].text);
		} else {
			CHECK_ROW(err.code == ERROR_USAGE && strstr(err.message, rows[i].text) != NULL, rows[i].text);
		}
	}
}

static void port_0_becomes_a_port_that_is_reported_and_taken(void)
{
	struct listen_address address, actual;
	char first[LISTEN_TEXT_MAX];
	struct error err;
	int fd;

	CU_ASSERT(listen_parse("127.0.0.1:0", &address, &err) == 0);
	fd = listen_open(&address, &actual, &err);
	CU_ASSERT(fd >= 0);
	listen_format((const struct sockaddr *)&actual.address, first);
	CU_ASSERT(strncmp(first, "127.0.0.1:", 10) == 0 && strcmp(first, "127.0.0.1:0") != 0);
	CU_ASSERT(listen_parse(first, &address, &err) == 0);
	CU_ASSERT(listen_open(&address, &actual, &err) == -1);
	CU_ASSERT(err.code == ERROR_SYSTEM && strstr(err.message, first) != NULL);
	if (fd >= 0)
		close(fd);
}

static void this_host_reaches_any_address_by_the_loopback(void)
{
	static const struct {
		const char *text, *host;
	} rows[] = {
		{"[::]:8443", "127.0.0.1"},
		{"0.0.0.0:8443", "127.0.0.1"},
		{"[fe80::1]:8443", "fe80::1"},
		{"10.1.2.3:8443", "10.1.2.3"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct listen_address address;
		char host[LISTEN_TEXT_MAX] = "";
		struct error err;

		CHECK_ROW(listen_parse(rows[i].text, &address, &err) == 0, rows[i].text);
		CHECK_ROW(listen_reach(&address, host) == 8443, rows[i].text);
		CHECK_ROW(strcmp(host, rows[i].host) == 0, rows[i].text);
	}
}

static void another_family_is_a_question_mark(void)
{
	const struct sockaddr address = {.sa_family = AF_UNIX};
	char text[LISTEN_TEXT_MAX];

	listen_format(&address, text);
	CHECK_STRING(text, "?");
}

int add_listen_suite(void)
{
	static const struct unit_test tests[] = {
		{"addresses are numbers with a port", addresses_are_numbers_with_a_port},
		{"port 0 becomes a port that is reported and taken", port_0_becomes_a_port_that_is_reported_and_taken},
		{"this host reaches any address by the loopback", this_host_reaches_any_address_by_the_loopback},
		{"another family is a question mark", another_family_is_a_question_mark},
		{NULL, NULL},
	};

	return add_suite("listen", tests);
}
