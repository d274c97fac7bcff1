/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_ROLE_H
#define CORE_ROLE_H

#include <stdbool.h>

/* What a process of a training is, in the order in which TF_CONFIG lists them. */
enum role { ROLE_CHIEF, ROLE_WORKER, ROLE_PS, ROLE_EVALUATOR };
#define ROLE_COUNT (ROLE_EVALUATOR + 1)

/* Which of them it is: TF_CONFIG's "task". */
struct task {
	enum role role;
	unsigned index; /* among those of its role, counted from 0 */
};

/* "chief", "worker", "ps", "evaluator". */
const char *role_name(enum role role);

/* False where the text is none of these. */
bool role_parse(const char *text, enum role *ret_role);

#endif
