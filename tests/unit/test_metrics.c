/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "net/metrics.h"
#include "suites.h"
#include "unit.h"

/* Counts everything there is to count, and checks the lines. */
static void check_page(struct metrics *metrics, unsigned long dropped, const char *const *lines)
{
	CLEANUP(buf_release) struct buf page;

	buf_init(&page, 256 * 1024);
	metrics_render(metrics, dropped, &page);
	CU_ASSERT(!page.failed);
	for (; *lines; lines++)
		CHECK_ROW(strstr(buf_string(&page), *lines) != NULL, *lines);
}

static void every_label_value_is_there_from_the_start(void)
{
	static const char *const lines[] = {
		"\ntfconfig_webhook_admission_requests_total{resource=\"pods\",operation=\"CREATE\",decision="
		"\"allowed\"} 0\n",
		"\ntfconfig_webhook_admission_requests_total{resource=\"other\",operation=\"other\",decision="
		"\"refused\"} 0\n",
		"\ntfconfig_webhook_http_errors_total{code=\"413\"} 0\n",
		"\ntfconfig_webhook_http_errors_total{code=\"other\"} 0\n",
		"\ntfconfig_webhook_certificate_reloads_total{result=\"failure\"} 0\n",
		"\ntfconfig_webhook_admission_duration_seconds_bucket{le=\"+Inf\"} 0\n",
		"\n# TYPE tfconfig_webhook_build_info gauge\n",
		NULL,
	};
	struct budget budget;
	struct metrics metrics = {.budget = &budget};

	budget_init(&budget, 1000);
	check_page(&metrics, 0, lines);
}

static void reviews_go_to_their_labels_and_unknown_words_to_other(void)
{
	static const char *const lines[] = {
		"{resource=\"pods\",operation=\"CREATE\",decision=\"patched\"} 2\n",
		"{resource=\"statefulsets\",operation=\"UPDATE\",decision=\"denied\"} 1\n",
		"{resource=\"other\",operation=\"other\",decision=\"refused\"} 1\n",
		"{resource=\"other\",operation=\"CREATE\",decision=\"allowed\"} 1\n",
		NULL,
	};
	struct budget budget;
	struct metrics metrics = {.budget = &budget};

	budget_init(&budget, 1000);
	metrics_count_review(&metrics, "pods", "CREATE", REVIEW_PATCHED, 1);
	metrics_count_review(&metrics, "pods", "CREATE", REVIEW_PATCHED, 1);
	metrics_count_review(&metrics, "statefulsets", "UPDATE", REVIEW_DENIED, 1);
	metrics_count_review(&metrics, "", "", REVIEW_REFUSED, 1);
	metrics_count_review(&metrics, "Pods", "CREATE", REVIEW_ALLOWED, 1);
	check_page(&metrics, 0, lines);
}

static void a_duration_is_in_its_bucket_and_all_above(void)
{
	static const char *const lines[] = {
		"_bucket{le=\"5e-05\"} 1\n", "_bucket{le=\"0.0001\"} 2\n", "_bucket{le=\"0.25\"} 2\n",
		"_bucket{le=\"1\"} 3\n",     "_bucket{le=\"5\"} 3\n",      "_bucket{le=\"+Inf\"} 4\n",
		"_seconds_count 4\n",        "_seconds_sum 7.000101\n",    NULL,
	};
	struct budget budget;
	struct metrics metrics = {.budget = &budget};

	budget_init(&budget, 1000);
	metrics_count_review(&metrics, "pods", "CREATE", REVIEW_ALLOWED, 50); /* a bound belongs to its bucket */
	metrics_count_review(&metrics, "pods", "CREATE", REVIEW_ALLOWED, 51);
	metrics_count_review(&metrics, "pods", "CREATE", REVIEW_ALLOWED, 1000000);
	metrics_count_review(&metrics, "pods", "CREATE", REVIEW_ALLOWED, 6000000);
	check_page(&metrics, 0, lines);
}

static void other_counters_are_printed_as_they_are(void)
{
	static const char *const lines[] = {
		"_http_errors_total{code=\"503\"} 1\n",
		"_http_errors_total{code=\"other\"} 2\n",
		"_memory_used_bytes 400\n",
		"_memory_limit_bytes 1000\n",
		"_connections 3\n",
		"_log_lines_dropped_total 7\n",
		"_certificate_expiry_timestamp_seconds 1767323045\n",
		NULL,
	};
	struct budget budget;
	struct metrics metrics = {.budget = &budget};

	budget_init(&budget, 1000);
	CU_ASSERT(budget_take(&budget, 400));
	atomic_store(&metrics.connections, 3);
	atomic_store(&metrics.certificate_expiry, 1767323045);
	metrics_count_http_error(&metrics, 503);
	metrics_count_http_error(&metrics, 418);
	metrics_count_http_error(&metrics, 599);
	check_page(&metrics, 7, lines);
}

static void advice_is_on_the_page_if_there_is_an_advisor(void)
{
	static const char *const lines[] = {
		"\ntfconfig_webhook_advice_lookups_total{result=\"unknown\"} 0\n",
		"\ntfconfig_webhook_advice_lookups_total{result=\"found\"} 3\n",
		"\ntfconfig_webhook_advice_lookups_total{result=\"missing\"} 2\n",
		"\ntfconfig_webhook_advice_late_total 4\n",
		NULL,
	};
	struct budget budget;
	struct metrics metrics = {.budget = &budget};

	budget_init(&budget, 1000);
	atomic_store(&metrics.advice.on, true);
	atomic_store(&metrics.advice.lookups[RELATED_FOUND], 3);
	atomic_store(&metrics.advice.lookups[RELATED_MISSING], 2);
	atomic_store(&metrics.advice.late, 4);
	check_page(&metrics, 0, lines);
}

int add_metrics_suite(void)
{
	static const struct unit_test tests[] = {
		{"every label value is there from the start", every_label_value_is_there_from_the_start},
		{"reviews go to their labels, and unknown words to other",
		 reviews_go_to_their_labels_and_unknown_words_to_other},
		{"a duration is in its bucket and all above", a_duration_is_in_its_bucket_and_all_above},
		{"other counters are printed as they are", other_counters_are_printed_as_they_are},
		{"advice is on the page if there is an advisor", advice_is_on_the_page_if_there_is_an_advisor},
		{NULL, NULL},
	};

	return add_suite("metrics", tests);
}
