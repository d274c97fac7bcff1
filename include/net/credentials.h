/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NET_CREDENTIALS_H
#define NET_CREDENTIALS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

#include <gnutls/gnutls.h>

#include "base/error.h"

/*
 * The server's certificate and key. They may be replaced while connections use them: each connection holds a reference
 * to the pair that it started with.
 */

struct credentials {
	gnutls_certificate_credentials_t x509;
	time_t not_before, not_after; /* of the leaf */
	atomic_uint references;
};

/* A PEM text. */
struct credentials_pem {
	const void *bytes;
	size_t len;
	const char *name; /* of the text, for errors */
};

/*
 * Copies a PEM chain, leaf first, and its key. ERROR_INVALID if they are not PEM, or not a pair. A pair outside its
 * dates is not an error. The caller gives the reference back with credentials_unref.
 */
MUST_CHECK int credentials_new(const struct credentials_pem *certificate, const struct credentials_pem *key,
			       struct credentials **ret_credentials, struct error *err);

/* Gives a reference back; the last one frees. NULL is allowed. Thread-safe. */
void credentials_unref(struct credentials *credentials);

/* What is wrong with the dates, in static memory; NULL while the pair is valid. */
const char *credentials_date_problem(time_t not_before, time_t not_after, time_t now);

/* Keeps the current pair. Thread-safe. */
struct credentials_store {
	pthread_mutex_t lock; /* guards current */
	struct credentials *current;
};

void credentials_store_init(struct credentials_store *store);
void credentials_store_release(struct credentials_store *store);

/*
 * Makes a pair the current one and takes the caller's reference, also on failure. ERROR_INVALID if the pair is outside
 * its dates while the previous one, which then stays, is not.
 */
MUST_CHECK int credentials_store_replace(struct credentials_store *store, struct credentials *fresh, struct error *err);

/* A reference to the current pair, which the caller gives back; NULL before the first one. */
struct credentials *credentials_store_ref(struct credentials_store *store);

#endif
