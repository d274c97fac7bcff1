/* SPDX-License-Identifier: Apache-2.0 */
#include "net/metrics.h"

#include <string.h>

#include "base/compiler.h"
#include "version.h"

static const char *const resources[METRICS_RESOURCES] = {
	[METRICS_PODS] = "pods",
	[METRICS_STATEFULSETS] = "statefulsets",
	[METRICS_OTHER_RESOURCE] = "other",
};

static const char *const operations[METRICS_OPERATIONS] = {
	[METRICS_CREATE] = "CREATE",
	[METRICS_UPDATE] = "UPDATE",
	[METRICS_OTHER_OPERATION] = "other",
};

static const char *const lookup_results[RELATED_STATES] = {
	[RELATED_UNKNOWN] = "unknown",
	[RELATED_FOUND] = "found",
	[RELATED_MISSING] = "missing",
};

/* Upper bounds: as a number to count by, and as the label. */
static const struct {
	uint64_t microseconds;
	const char *seconds;
} buckets[METRICS_BUCKETS] = {
	{50, "5e-05"},   {100, "0.0001"}, {250, "0.00025"}, {500, "0.0005"},  {1000, "0.001"}, {2500, "0.0025"},
	{5000, "0.005"}, {10000, "0.01"}, {50000, "0.05"},  {250000, "0.25"}, {1000000, "1"},  {5000000, "5"},
};

/* The last place counts every other code. */
static const unsigned http_codes[METRICS_HTTP_CODES - 1] = {400, 404, 405, 413, 414, 415, 431, 500, 501, 503, 505};

/* The word's place in the list, whose last entry takes every other word. */
static size_t find_word(const char *const *words, size_t count, const char *word)
{
	size_t i = 0;

	while (i < count - 1 && strcmp(words[i], word) != 0)
		i++;
	return i;
}

static void count(atomic_ulong *counter)
{
	atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

void metrics_count_review(struct metrics *metrics, const char *resource, const char *operation,
			  enum review_decision decision, uint64_t duration)
{
	const size_t resource_index = find_word(resources, METRICS_RESOURCES, resource);
	const size_t operation_index = find_word(operations, METRICS_OPERATIONS, operation);
	size_t bucket = 0;

	while (bucket < METRICS_BUCKETS && duration > buckets[bucket].microseconds)
		bucket++;
	count(&metrics->reviews[resource_index][operation_index][decision]);
	count(&metrics->durations[bucket]);
	atomic_fetch_add_explicit(&metrics->duration_sum, duration, memory_order_relaxed);
}

void metrics_count_http_error(struct metrics *metrics, unsigned code)
{
	size_t i = 0;

	while (i < ARRAY_LEN(http_codes) && http_codes[i] != code)
		i++;
	count(&metrics->http_errors[i]);
}

/* The two lines that come before a metric's values. */
static void add_head(struct buf *page, const char *name, const char *type, const char *help)
{
	buf_addf(page, "# HELP tfconfig_webhook_%s %s\n# TYPE tfconfig_webhook_%s %s\n", name, help, name, type);
}

static void add_value(struct buf *page, const char *name, const char *type, const char *help, long long value)
{
	add_head(page, name, type, help);
	buf_addf(page, "tfconfig_webhook_%s %lld\n", name, value);
}

static void add_reviews(struct metrics *metrics, struct buf *page)
{
	add_head(page, "admission_requests_total", "counter", "Admission reviews by decision.");
	for (size_t i = 0; i < sizeof(metrics->reviews) / sizeof(metrics->reviews[0][0][0]); i++) {
		const size_t decision = i % METRICS_DECISIONS;
		const size_t operation = i / METRICS_DECISIONS % METRICS_OPERATIONS;
		const size_t resource = i / METRICS_DECISIONS / METRICS_OPERATIONS;

		buf_addf(page,
			 "tfconfig_webhook_admission_requests_total{resource=\"%s\",operation=\"%s\",decision=\"%s\"} "
			 "%lu\n",
			 resources[resource], operations[operation],
			 review_decision_name((enum review_decision)decision),
			 atomic_load(&metrics->reviews[resource][operation][decision]));
	}
}

static void add_durations(struct metrics *metrics, struct buf *page)
{
	unsigned long total = 0;

	add_head(page, "admission_duration_seconds", "histogram",
		 "Time from the end of a review's head to its answer.");
	for (size_t i = 0; i < METRICS_BUCKETS; i++) {
		total += atomic_load(&metrics->durations[i]);
		buf_addf(page, "tfconfig_webhook_admission_duration_seconds_bucket{le=\"%s\"} %lu\n",
			 buckets[i].seconds, total);
	}
	total += atomic_load(&metrics->durations[METRICS_BUCKETS]);
	buf_addf(page, "tfconfig_webhook_admission_duration_seconds_bucket{le=\"+Inf\"} %lu\n", total);
	buf_addf(page, "tfconfig_webhook_admission_duration_seconds_sum %.6f\n",
		 (double)atomic_load(&metrics->duration_sum) / 1e6);
	buf_addf(page, "tfconfig_webhook_admission_duration_seconds_count %lu\n", total);
}

static void add_http_errors(struct metrics *metrics, struct buf *page)
{
	add_head(page, "http_errors_total", "counter", "Requests answered with an HTTP error, or cut off by one.");
	for (size_t i = 0; i < ARRAY_LEN(http_codes); i++)
		buf_addf(page, "tfconfig_webhook_http_errors_total{code=\"%u\"} %lu\n", http_codes[i],
			 atomic_load(&metrics->http_errors[i]));
	buf_addf(page, "tfconfig_webhook_http_errors_total{code=\"other\"} %lu\n",
		 atomic_load(&metrics->http_errors[ARRAY_LEN(http_codes)]));
}

static void add_reloads(struct metrics *metrics, struct buf *page)
{
	add_head(page, "certificate_reloads_total", "counter", "Attempts to load a changed certificate.");
	buf_addf(page, "tfconfig_webhook_certificate_reloads_total{result=\"success\"} %lu\n",
		 atomic_load(&metrics->reloads_succeeded));
	buf_addf(page, "tfconfig_webhook_certificate_reloads_total{result=\"failure\"} %lu\n",
		 atomic_load(&metrics->reloads_failed));
}

static void add_managed(struct metrics *metrics, struct buf *page)
{
	struct metrics_managed *managed = &metrics->managed;
	const int registered = atomic_load(&managed->registered);

	if (!atomic_load(&managed->on))
		return;
	add_value(page, "ca_expiry_timestamp_seconds", "gauge", "When the CA expires; 0 if there is none.",
		  atomic_load(&managed->ca_expiry));
	add_value(page, "ca_rotations_begun_total", "counter", "CAs that this replica made to replace another.",
		  (long long)atomic_load(&managed->rotations_begun));
	add_value(page, "ca_rotations_total", "counter", "CAs that this replica put into use, including the first one.",
		  (long long)atomic_load(&managed->rotations));
	add_value(page, "certificates_signed_total", "counter",
		  "Serving certificates that this replica made for itself.",
		  (long long)atomic_load(&managed->signed_certificates));
	add_value(page, "ca_bundle_updates_total", "counter", "Updates of the registration's caBundle by this replica.",
		  (long long)atomic_load(&managed->registrations));
	if (registered != METRICS_UNKNOWN)
		add_value(page, "registered", "gauge", "1 while both webhooks are in the registration.",
			  registered == METRICS_YES);
	add_value(page, "certificates_in_trouble", "gauge", "1 while something keeps certificates from being managed.",
		  atomic_load(&managed->in_trouble));
}

static void add_advice(struct metrics *metrics, struct buf *page)
{
	struct metrics_advice *advice = &metrics->advice;

	if (!atomic_load(&advice->on))
		return;
	add_head(page, "advice_lookups_total", "counter", "Lookups of objects in the cluster, for advice.");
	for (size_t i = 0; i < RELATED_STATES; i++)
		buf_addf(page, "tfconfig_webhook_advice_lookups_total{result=\"%s\"} %lu\n", lookup_results[i],
			 atomic_load(&advice->lookups[i]));
	add_value(page, "advice_late_total", "counter", "Reviews answered before all their lookups finished.",
		  (long long)atomic_load(&advice->late));
}

static void add_groups(struct metrics *metrics, struct buf *page)
{
	struct metrics_groups *groups = &metrics->groups;

	if (!atomic_load(&groups->on))
		return;
	add_value(page, "statefulsets_followed", "gauge", "StatefulSets that have opted in.",
		  (long long)atomic_load(&groups->followed));
	add_value(page, "groups_resized_total", "counter", "StatefulSets restarted with a new group.",
		  (long long)atomic_load(&groups->resized));
	add_value(page, "statefulsets_passed_over_total", "counter",
		  "Times that a StatefulSet was skipped, as it is too large or one too many.",
		  (long long)atomic_load(&groups->passed_over));
}

void metrics_render(struct metrics *metrics, unsigned long log_lines_dropped, struct buf *page)
{
	add_reviews(metrics, page);
	add_durations(metrics, page);
	add_value(page, "admission_in_flight", "gauge", "Requests being read or answered.",
		  atomic_load(&metrics->in_flight));
	add_value(page, "admission_received_bytes_total", "counter", "Bytes of request bodies received.",
		  (long long)atomic_load(&metrics->bytes_in));
	add_http_errors(metrics, page);
	add_value(page, "connections", "gauge", "Open connections of the TLS port.",
		  atomic_load(&metrics->connections));
	add_value(page, "connections_timed_out_total", "counter", "Connections ended for taking too long.",
		  (long long)atomic_load(&metrics->deadlines_missed));
	add_value(page, "connections_evicted_total", "counter", "Connections ended to make room for others.",
		  (long long)atomic_load(&metrics->evictions));
	add_value(page, "connections_refused_total", "counter", "Connections closed at once, as there was no memory.",
		  (long long)atomic_load(&metrics->connections_refused));
	add_value(page, "tls_handshake_failures_total", "counter", "Connections that ended before their handshake.",
		  (long long)atomic_load(&metrics->handshake_failures));
	add_value(page, "memory_used_bytes", "gauge", "Memory that connections and requests hold now.",
		  (long long)budget_used(metrics->budget));
	add_value(page, "memory_limit_bytes", "gauge", "Memory that connections and requests may hold together.",
		  (long long)metrics->budget->limit);
	add_value(page, "certificate_expiry_timestamp_seconds", "gauge", "When the certificate in use expires.",
		  atomic_load(&metrics->certificate_expiry));
	add_reloads(metrics, page);
	add_managed(metrics, page);
	add_advice(metrics, page);
	add_groups(metrics, page);
	add_value(page, "log_lines_dropped_total", "counter", "Log lines lost, as they were not read in time.",
		  (long long)log_lines_dropped);
	add_head(page, "build_info", "gauge", "The version that runs; always 1.");
	buf_addf(page, "tfconfig_webhook_build_info{version=\"%s\"} 1\n", TFCONFIG_WEBHOOK_VERSION);
}
