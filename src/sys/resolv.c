/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/resolv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char blanks[] = " \t\r";

/* What follows the keyword `search` in the line, or NULL. */
static const char *search_list(const char *line)
{
	static const char keyword[] = "search";
	const size_t len = sizeof(keyword) - 1;

	line += strspn(line, blanks);
	if (strncmp(line, keyword, len) != 0 || !strchr(blanks, line[len]))
		return NULL;
	return line + len;
}

/* Copies the domain of a "svc.<domain>" entry, with or without a final dot. */
static bool domain_of_entry(const char *entry, size_t len, char ret_domain[DNS_NAME_MAX + 1])
{
	static const char prefix[] = "svc.";
	const size_t prefix_len = sizeof(prefix) - 1;
	char domain[DNS_NAME_MAX + 2];

	if (len <= prefix_len || strncmp(entry, prefix, prefix_len) != 0)
		return false;
	len -= prefix_len;
	if (len >= sizeof(domain))
		return false;
	memcpy(domain, entry + prefix_len, len);
	if (domain[len - 1] == '.')
		len--;
	domain[len] = '\0';
	if (!name_is_dns_name(domain))
		return false;
	memcpy(ret_domain, domain, len + 1);
	return true;
}

/* The list ends at the end of its line. */
static bool find_in_list(const char *list, char ret_domain[DNS_NAME_MAX + 1])
{
	for (;;) {
		size_t len;

		list += strspn(list, blanks);
		len = strcspn(list, " \t\r\n");
		if (len == 0)
			return false;
		if (domain_of_entry(list, len, ret_domain))
			return true;
		list += len;
	}
}

bool resolv_find_domain(const char *text, char ret_domain[DNS_NAME_MAX + 1])
{
	const char *list = NULL;

	for (const char *line = text; line; line = strchr(line, '\n')) {
		const char *found;

		line += *line == '\n';
		found = search_list(line);
		if (found)
			list = found;
	}
	return list && find_in_list(list, ret_domain);
}

bool resolv_read_domain(const char *path, char ret_domain[DNS_NAME_MAX + 1])
{
	enum { RESOLV_MAX = 64 * 1024 };
	FILE *file = fopen(path, "re");
	char *text = malloc(RESOLV_MAX);
	bool found = false;

	if (file && text) {
		text[fread(text, 1, RESOLV_MAX - 1, file)] = '\0';
		found = resolv_find_domain(text, ret_domain);
	}
	free(text);
	if (file)
		fclose(file);
	return found;
}
