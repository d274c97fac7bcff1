/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "suites.h"
#include "sys/resolv.h"
#include "unit.h"

static void the_domain_is_the_one_after_svc(void)
{
	static const struct {
		const char *text;
		const char *domain; /* "": none */
	} rows[] = {
		{"", ""},
		{"nameserver 10.96.0.10\n", ""},
		{"search ml.svc.cluster.local svc.cluster.local cluster.local\n", "cluster.local"},
		{"search ml.svc.cluster.local svc.cluster.local cluster.local", "cluster.local"},
		{"nameserver 10.96.0.10\nsearch svc.k.example\noptions ndots:5\n", "k.example"},
		{"search a.b c.d e.f g.h i.j k.l m.n o.p svc.far.example q.r\n", "far.example"},
		{"search\tsvc.tabs.example\t \tother\r\n", "tabs.example"},
		{"  search svc.indented.example\n", "indented.example"},
		{"search svc.dot.example.\n", "dot.example"},
		{"search svc.first.example\nsearch svc.last.example\n", "last.example"},
		{"search svc.first.example\nsearch corp.example\n", ""},
		{"search svc.one.example svc.two.example\n", "one.example"},
		{"searches svc.no.example\n", ""},
		{"# search svc.comment.example\n", ""},
		{"options search svc.no.example\n", ""},
		{"search corp.example\nsvc.next-line.example\n", ""},
		{"search ml.svc.cluster.local cluster.local\n", ""},
		{"search svc. svc svc.. svc.UPPER.example svc.-x svc.good.example\n", "good.example"},
		{"search\n", ""},
		{"search", ""},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char domain[DNS_NAME_MAX + 1] = "";

		CHECK_ROW(resolv_find_domain(rows[i].text, domain) == (rows[i].domain[0] != '\0'), rows[i].text);
		CHECK_ROW(strcmp(domain, rows[i].domain) == 0, rows[i].text);
	}
}

static void the_longest_name_fits_and_a_longer_one_is_skipped(void)
{
	char name[DNS_NAME_MAX + 2];
	char text[DNS_NAME_MAX + 64];
	char domain[DNS_NAME_MAX + 1] = "";

	for (size_t i = 0; i < sizeof(name) - 1; i++)
		name[i] = i % 2 ? '.' : 'a';
	name[DNS_NAME_MAX] = '\0'; /* ends in an 'a': 253 is odd */
	snprintf(text, sizeof(text), "search svc.%s.\n", name);
	CU_ASSERT(resolv_find_domain(text, domain));
	CHECK_STRING(domain, name);
	snprintf(text, sizeof(text), "search svc.%sa svc.short\n", name);
	CU_ASSERT(resolv_find_domain(text, domain));
	CHECK_STRING(domain, "short");
}

static void a_missing_file_gives_no_domain(void)
{
	char domain[DNS_NAME_MAX + 1] = "untouched";

	CU_ASSERT(!resolv_read_domain("/nowhere/resolv.conf", domain));
	CHECK_STRING(domain, "untouched");
}

int add_resolv_suite(void)
{
	static const struct unit_test tests[] = {
		{"the domain is the one after svc", the_domain_is_the_one_after_svc},
		{"the longest name fits, and a longer one is skipped",
		 the_longest_name_fits_and_a_longer_one_is_skipped},
		{"a missing file gives no domain", a_missing_file_gives_no_domain},
		{NULL, NULL},
	};

	return add_suite("resolv", tests);
}
