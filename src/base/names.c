/* SPDX-License-Identifier: Apache-2.0 */
#include "base/names.h"

#include <stddef.h>
#include <string.h>

static bool is_label(const char *name, size_t len)
{
	if (len == 0 || len > DNS_LABEL_MAX || name[0] == '-' || name[len - 1] == '-')
		return false;
	for (size_t i = 0; i < len; i++) {
		const char c = name[i];

		if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'))
			return false;
	}
	return true;
}

bool name_is_dns_label(const char *name)
{
	return is_label(name, strlen(name));
}

bool name_is_dns_name(const char *name)
{
	if (strlen(name) > DNS_NAME_MAX)
		return false;
	for (;;) {
		const size_t len = strcspn(name, ".");

		if (!is_label(name, len))
			return false;
		if (!name[len])
			return true;
		name += len + 1;
	}
}

bool name_parse_decimal(const char *text, unsigned max, unsigned *ret_number)
{
	unsigned number = 0;

	if (!text[0] || (text[0] == '0' && text[1]))
		return false;
	for (; *text; text++) {
		const unsigned digit = (unsigned)(*text - '0');

		if (*text < '0' || *text > '9' || digit > max || number > (max - digit) / 10)
			return false;
		number = number * 10 + digit;
	}
	*ret_number = number;
	return true;
}
