#ifndef NET_CREDENTIALS_H
#define NET_CREDENTIALS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <time.h>

#include <gnutls/gnutls.h>

#include "core/error.h"

/*
 * The server's certificate and key, which are replaced while connections use them: each connection holds a reference
 * to the pair it began with.
 */

struct credentials {
	gnutls_certificate_credentials_t x509;
	time_t not_before, not_after; /* of the leaf */
	atomic_uint references;
};

/*
 * Reads a PEM chain, leaf first, and its key from two files. Returns one reference, which the caller gives back with
 * credentials_unref. Errors name the file that is missing, unreadable, no PEM, or of another pair. A pair that is out
 * of date is no error.
 */
MUST_CHECK int credentials_load(const char *certificate_file, const char *key_file, struct credentials **ret,
				struct error *err);

/* Gives a reference back; the last one frees. NULL is allowed. Thread-safe. */
void credentials_unref(struct credentials *credentials);

/* NULL while the pair is in date, else what is wrong with it: static memory. */
const char *credentials_date_problem(time_t not_before, time_t not_after, time_t now);

/*
 * Where the current pair is kept. Loading is for one thread, the rest is thread-safe.
 */
struct credentials_store {
	const char *certificate_file, *key_file; /* borrowed */
	struct stat certificate_stat, key_stat;  /* as of the last attempt to load */
	pthread_mutex_t lock;                    /* guards current */
	struct credentials *current;
};

/* An empty store for the two files, whose names must outlive it. */
void credentials_store_init(struct credentials_store *store, const char *certificate_file, const char *key_file);

void credentials_store_release(struct credentials_store *store);

/*
 * Loads the files' pair and makes it the current one. On failure the one before stays; that a pair has expired is one
 * while the one before is in date.
 */
MUST_CHECK int credentials_store_load(struct credentials_store *store, struct error *err);

/* Whether a file is another one than at the last attempt to load: a broken pair is tried once, not again and again. */
bool credentials_store_changed(const struct credentials_store *store);

/* A reference to the current pair, NULL before the first load. The caller gives it back. */
struct credentials *credentials_store_ref(struct credentials_store *store);

#endif
