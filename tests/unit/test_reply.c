/* SPDX-License-Identifier: Apache-2.0 */
#include "net/reply.h"
#include "suites.h"
#include "unit.h"

static void a_503_says_when_to_come_back(void)
{
	const struct reply busy = reply_of(MHD_HTTP_SERVICE_UNAVAILABLE, true);
	const struct reply fine = reply_of(MHD_HTTP_OK, false);

	CU_ASSERT(busy.status == 503 && busy.close);
	CHECK_STRING(busy.header, "Retry-After");
	CHECK_STRING(busy.value, "1");
	CU_ASSERT(fine.status == 200 && !fine.close && fine.header == NULL);
}

static void a_copy_is_charged_until_it_is_destroyed(void)
{
	struct budget budget;
	struct MHD_Response *response;

	budget_init(&budget, 1000);
	response = reply_make_copy(&budget, "12345", 5);
	CU_ASSERT(response != NULL && budget_used(&budget) > 5);
	MHD_destroy_response(response);
	CU_ASSERT(budget_used(&budget) == 0);
}

static void what_the_budget_does_not_allow_is_not_copied(void)
{
	struct budget budget;

	budget_init(&budget, 4);
	CU_ASSERT(reply_make_copy(&budget, "12345", 5) == NULL);
	CU_ASSERT(budget_used(&budget) == 0);
}

int add_reply_suite(void)
{
	static const struct unit_test tests[] = {
		{"a 503 says when to come back", a_503_says_when_to_come_back},
		{"a copy is charged until it is destroyed", a_copy_is_charged_until_it_is_destroyed},
		{"what the budget does not allow is not copied", what_the_budget_does_not_allow_is_not_copied},
		{NULL, NULL},
	};

	return add_suite("reply", tests);
}
