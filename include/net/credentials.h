#ifndef NET_CREDENTIALS_H
#define NET_CREDENTIALS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

#include <gnutls/gnutls.h>

#include "base/error.h"

/*
 * The server's certificate and key, which are replaced while connections use them: each connection holds a reference
 * to the pair it began with.
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
	const char *name; /* that stands for it in errors */
};

/*
 * Takes a PEM chain, leaf first, and its key, both copied. ERROR_INVALID where they are no PEM, or not a pair. A pair
 * that is out of date is no error. Returns one reference, which the caller gives back with credentials_unref.
 */
MUST_CHECK int credentials_new(const struct credentials_pem *certificate, const struct credentials_pem *key,
			       struct credentials **ret_credentials, struct error *err);

/* Gives a reference back; the last one frees. NULL is allowed. Thread-safe. */
void credentials_unref(struct credentials *credentials);

/* NULL while the pair is in date, else what is wrong with it: static memory. */
const char *credentials_date_problem(time_t not_before, time_t not_after, time_t now);

/* Where the current pair is kept. Thread-safe. */
struct credentials_store {
	pthread_mutex_t lock; /* guards current */
	struct credentials *current;
};

void credentials_store_init(struct credentials_store *store);
void credentials_store_release(struct credentials_store *store);

/*
 * Makes a pair the current one, with the caller's reference, also on failure: ERROR_INVALID where its dates are wrong and the
 * one before, which stays, is in date.
 */
MUST_CHECK int credentials_store_replace(struct credentials_store *store, struct credentials *fresh, struct error *err);

/* A reference to the current pair, NULL before the first. The caller gives it back. */
struct credentials *credentials_store_ref(struct credentials_store *store);

#endif
