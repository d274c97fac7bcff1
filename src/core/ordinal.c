#include "core/ordinal.h"

#include <limits.h>
#include <string.h>

#include "base/names.h"

bool ordinal_parse(const char *pod, const char *set, unsigned *ret_ordinal)
{
	size_t len = strlen(set);

	if (strncmp(pod, set, len) != 0 || pod[len] != '-')
		return false;
	return name_parse_decimal(pod + len + 1, INT_MAX, ret_ordinal);
}
