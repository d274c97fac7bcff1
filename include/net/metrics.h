/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NET_METRICS_H
#define NET_METRICS_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/budget.h"
#include "base/buf.h"
#include "core/related.h"
#include "core/review.h"

/*
 * What the server counts, and the page that shows it in Prometheus' text format, version 0.0.4. Label values come from
 * fixed lists, so no client can make the page grow.
 * https://prometheus.io/docs/instrumenting/exposition_formats/
 *
 * Counting is thread-safe and takes no lock. Zeroed memory is a valid start, except for the budget.
 */

enum metrics_resource { METRICS_PODS, METRICS_STATEFULSETS, METRICS_OTHER_RESOURCE, METRICS_RESOURCES };
enum metrics_operation { METRICS_CREATE, METRICS_UPDATE, METRICS_OTHER_OPERATION, METRICS_OPERATIONS };

enum {
	METRICS_DECISIONS = REVIEW_REFUSED + 1,
	METRICS_BUCKETS = 12,   /* of the duration, without +Inf */
	METRICS_HTTP_CODES = 12 /* those with a counter of their own, and one for the rest */
};

/* METRICS_UNKNOWN is not on the page. */
enum metrics_answer { METRICS_UNKNOWN, METRICS_NO, METRICS_YES };

/* Of self-managed certificates; on the page if `on` is set. */
struct metrics_managed {
	atomic_bool on;
	atomic_int registered;            /* enum metrics_answer: both webhooks are in the registration */
	atomic_bool in_trouble;           /* something keeps the webhook from managing them */
	atomic_llong ca_expiry;           /* seconds since 1970; 0: no CA yet */
	atomic_ulong signed_certificates; /* by this replica, as the next three */
	atomic_ulong rotations_begun;
	atomic_ulong rotations;     /* CAs that started to sign, including the first one */
	atomic_ulong registrations; /* updates of the caBundle */
};

/* Of lookups in the cluster for reviews; on the page if `on` is set. */
struct metrics_advice {
	atomic_bool on;
	atomic_ulong lookups[RELATED_STATES];
	atomic_ulong late; /* reviews answered before all their lookups finished */
};

/* Of the groups that are kept up to date; on the page if `on` is set. */
struct metrics_groups {
	atomic_bool on;
	atomic_ulong followed; /* StatefulSets that have opted in */
	atomic_ulong resized;  /* restarts with a new group */
	atomic_ulong passed_over;
};

struct metrics {
	atomic_ulong reviews[METRICS_RESOURCES][METRICS_OPERATIONS][METRICS_DECISIONS];
	atomic_ulong durations[METRICS_BUCKETS + 1]; /* each counted only in the first bucket that holds it */
	atomic_ullong duration_sum;                  /* microseconds */
	atomic_ulong http_errors[METRICS_HTTP_CODES];
	atomic_ullong bytes_in;           /* of bodies */
	atomic_long in_flight;            /* requests */
	atomic_long connections;          /* of the TLS port */
	atomic_ulong connections_refused; /* closed at once, as there was no memory */
	atomic_ulong handshake_failures;
	atomic_ulong deadlines_missed;   /* connections shut down for taking too long */
	atomic_ulong evictions;          /* connections shut down to make room for others */
	atomic_llong certificate_expiry; /* seconds since 1970 */
	atomic_ulong reloads_succeeded, reloads_failed;
	struct metrics_managed managed;
	struct metrics_advice advice;
	struct metrics_groups groups;
	struct budget *budget; /* borrowed */
};

/*
 * Counts an answer of review_answer, except a 503. Resource and operation are as in the request, the duration is in
 * microseconds.
 */
void metrics_count_review(struct metrics *metrics, const char *resource, const char *operation,
			  enum review_decision decision, uint64_t duration);

/* Counts an answer with an HTTP error (400 and above). */
void metrics_count_http_error(struct metrics *metrics, unsigned code);

/* Adds the page to the buffer. The log keeps the count of dropped lines. Thread-safe. */
void metrics_render(struct metrics *metrics, unsigned long log_lines_dropped, struct buf *page);

#endif
