/* SPDX-License-Identifier: Apache-2.0 */
#include "net/body.h"

#include <stdlib.h>
#include <string.h>

#include "core/limits.h"
#include "sys/heap.h"

enum { FIRST_CAPACITY = 16 * 1024 }; /* most reviews fit */

void body_init(struct body *body, struct budget *budget)
{
	*body = (struct body){.budget = budget};
}

void body_release(struct body *body)
{
	free(body->data);
	budget_give(body->budget, body->capacity);
	heap_freed(body->capacity);
	body_init(body, body->budget);
}

/* The next capacity for `needed` bytes with their NUL. */
static size_t next_capacity(const struct body *body, size_t needed, size_t announced)
{
	size_t capacity = body->capacity ? body->capacity * 2 : FIRST_CAPACITY;
	const size_t most = (announced ? announced : REVIEW_MAX_BODY) + 1;

	if (capacity > most)
		capacity = most;
	return capacity > needed ? capacity : needed;
}

enum body_state body_add(struct body *body, const char *bytes, size_t len, size_t announced)
{
	size_t needed, capacity;
	char *data;

	if (len > REVIEW_MAX_BODY - body->len)
		return BODY_TOO_LARGE;
	needed = body->len + len + 1;
	if (needed > body->capacity) {
		capacity = next_capacity(body, needed, announced);
		if (!budget_take(body->budget, capacity - body->capacity))
			return BODY_NO_BUDGET;
		data = realloc(body->data, capacity);
		if (!data) {
			budget_give(body->budget, capacity - body->capacity);
			return BODY_NO_BUDGET;
		}
		body->data = data;
		body->capacity = capacity;
	}
	memcpy(body->data + body->len, bytes, len);
	body->len += len;
	body->data[body->len] = '\0';
	return BODY_OK;
}
