#include "kube/trouble.h"

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

bool trouble_is_news(struct trouble *trouble, const char *message)
{
	const char *text = message ? message : "";

	if (says_the_same(trouble->told, text))
		return false;
	snprintf(trouble->told, sizeof(trouble->told), "%s", text);
	return true;
}
