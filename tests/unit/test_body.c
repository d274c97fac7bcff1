/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "core/limits.h"
#include "net/body.h"
#include "suites.h"
#include "unit.h"

static void pieces_become_one_terminated_text(void)
{
	struct budget budget;
	struct body body;

	budget_init(&budget, 1000000);
	body_init(&body, &budget);
	for (int i = 0; i < 10000; i++)
		CU_ASSERT(body_add(&body, "0123456789", 10, 0) == BODY_OK);
	CU_ASSERT(body.len == 100000 && strlen(body.data) == 100000);
	CU_ASSERT(memcmp(body.data + 99990, "0123456789", 11) == 0);
	CU_ASSERT(budget_used(&budget) == body.capacity);
	body_release(&body);
	CU_ASSERT(budget_used(&budget) == 0 && body.data == NULL);
	body_release(&body);
}

static void an_announced_body_takes_what_it_needs_and_no_more(void)
{
	struct budget budget;
	struct body body;

	budget_init(&budget, 1000);
	body_init(&body, &budget);
	CU_ASSERT(body_add(&body, "12345", 5, 10) == BODY_OK);
	CU_ASSERT(budget_used(&budget) == 11);
	CU_ASSERT(body_add(&body, "67890", 5, 10) == BODY_OK);
	CU_ASSERT(budget_used(&budget) == 11);
	CHECK_STRING(body.data, "1234567890");
	body_release(&body);
}

static void what_the_budget_does_not_allow_is_not_added(void)
{
	struct budget budget;
	struct body body;

	budget_init(&budget, 100);
	body_init(&body, &budget);
	CU_ASSERT(body_add(&body, "12345", 5, 5) == BODY_OK);
	CU_ASSERT(body_add(&body, (const char[200]){0}, 200, 205) == BODY_NO_BUDGET);
	CHECK_STRING(body.data, "12345");
	CU_ASSERT(budget_used(&budget) == 6);
	body_release(&body);
	CU_ASSERT(budget_used(&budget) == 0);
}

static void seven_mib_are_the_most(void)
{
	struct budget budget;
	struct body body;
	char *block = calloc(1, REVIEW_MAX_BODY);

	CU_ASSERT(block != NULL);
	budget_init(&budget, 2 * REVIEW_MAX_BODY);
	body_init(&body, &budget);
	for (size_t i = 0; block && i < 7; i++)
		CU_ASSERT(body_add(&body, block, REVIEW_MAX_BODY / 7, 0) == BODY_OK);
	CU_ASSERT(body.len == REVIEW_MAX_BODY);
	CU_ASSERT(body.capacity == REVIEW_MAX_BODY + 1);
	CU_ASSERT(body_add(&body, "", 1, 0) == BODY_TOO_LARGE);
	body_release(&body);
	free(block);
}

int add_body_suite(void)
{
	static const struct unit_test tests[] = {
		{"pieces become one terminated text", pieces_become_one_terminated_text},
		{"an announced body takes what it needs and no more",
		 an_announced_body_takes_what_it_needs_and_no_more},
		{"what the budget does not allow is not added", what_the_budget_does_not_allow_is_not_added},
		{"7 MiB are the most", seven_mib_are_the_most},
		{NULL, NULL},
	};

	return add_suite("body", tests);
}
