/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/last_problem.h"

#include <stdio.h>
#include <string.h>

static bool says_the_same(const char *a, const char *b)
{
	for (;;) {
		a += strspn(a, "0123456789");
		b += strspn(b, "0123456789");
		if (*a != *b || !*a)
			return *a == *b;
		a++;
		b++;
	}
}

bool last_problem_is_news(struct last_problem *last, const char *message)
{
	const char *text = message ? message : "";

	if (says_the_same(last->reported, text))
		return false;
	snprintf(last->reported, sizeof(last->reported), "%s", text);
	return true;
}
