/* SPDX-License-Identifier: Apache-2.0 */
#include "core/role.h"

#include <string.h>

static const char *const names[ROLE_COUNT] = {
	[ROLE_CHIEF] = "chief",
	[ROLE_WORKER] = "worker",
	[ROLE_PS] = "ps",
	[ROLE_EVALUATOR] = "evaluator",
};

const char *role_name(enum role role)
{
	return names[role];
}

bool role_parse(const char *text, enum role *ret_role)
{
	for (enum role role = ROLE_CHIEF; role < ROLE_COUNT; role++) {
		if (strcmp(names[role], text) == 0) {
			*ret_role = role;
			return true;
		}
	}
	return false;
}
