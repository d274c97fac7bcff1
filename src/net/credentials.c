/* SPDX-License-Identifier: Apache-2.0 */
#include "net/credentials.h"

#include <stdlib.h>

#include <gnutls/x509.h>

/* Reads the dates of the leaf, which also checks that the text holds certificates. */
static int read_dates(const gnutls_datum_t *pem, struct credentials *credentials)
{
	gnutls_x509_crt_t *chain = NULL;
	unsigned count = 0;
	int failure = gnutls_x509_crt_list_import2(&chain, &count, pem, GNUTLS_X509_FMT_PEM, 0);

	if (failure < 0)
		return failure;
	credentials->not_before = gnutls_x509_crt_get_activation_time(chain[0]);
	credentials->not_after = gnutls_x509_crt_get_expiration_time(chain[0]);
	for (unsigned i = 0; i < count; i++)
		gnutls_x509_crt_deinit(chain[i]);
	gnutls_free(chain);
	return 0;
}

static gnutls_datum_t datum_of(const struct credentials_pem *pem)
{
	/* GnuTLS reads through a pointer that is not const. */
	union {
		const void *read;
		unsigned char *written;
	} bytes = {.read = pem->bytes};

	return (gnutls_datum_t){.data = bytes.written, .size = (unsigned)pem->len};
}

static int set_pair(struct credentials *credentials, const struct credentials_pem *certificate,
		    const struct credentials_pem *key, struct error *err)
{
	const gnutls_datum_t certificate_datum = datum_of(certificate), key_datum = datum_of(key);
	int failure = read_dates(&certificate_datum, credentials);

	if (failure < 0)
		return error_set(err, ERROR_INVALID, "the certificate %s is not a PEM certificate: %s",
				 certificate->name, gnutls_strerror(failure));
	failure = gnutls_certificate_set_x509_key_mem(credentials->x509, &certificate_datum, &key_datum,
						      GNUTLS_X509_FMT_PEM);
	if (failure == GNUTLS_E_CERTIFICATE_KEY_MISMATCH)
		return error_set(err, ERROR_INVALID, "the certificate %s and the key %s are not a pair",
				 certificate->name, key->name);
	if (failure < 0)
		return error_set(err, ERROR_INVALID, "the key %s is not a PEM key: %s", key->name,
				 gnutls_strerror(failure));
	return 0;
}

int credentials_new(const struct credentials_pem *certificate, const struct credentials_pem *key,
		    struct credentials **ret_credentials, struct error *err)
{
	struct credentials *credentials = calloc(1, sizeof(*credentials));

	if (!credentials || gnutls_certificate_allocate_credentials(&credentials->x509) < 0) {
		free(credentials);
		return error_set(err, ERROR_NO_MEMORY, "no memory for the certificate");
	}
	atomic_init(&credentials->references, 1);
	if (set_pair(credentials, certificate, key, err) < 0) {
		credentials_unref(credentials);
		return -1;
	}
	*ret_credentials = credentials;
	return 0;
}

void credentials_unref(struct credentials *credentials)
{
	if (!credentials || atomic_fetch_sub(&credentials->references, 1) != 1)
		return;
	gnutls_certificate_free_credentials(credentials->x509);
	free(credentials);
}

const char *credentials_date_problem(time_t not_before, time_t not_after, time_t now)
{
	if (now < not_before)
		return "the certificate is not valid yet";
	if (now > not_after)
		return "the certificate has expired";
	return NULL;
}

void credentials_store_init(struct credentials_store *store)
{
	*store = (struct credentials_store){0};
	pthread_mutex_init(&store->lock, NULL);
}

void credentials_store_release(struct credentials_store *store)
{
	credentials_unref(store->current);
	pthread_mutex_destroy(&store->lock);
}

/* What is wrong with the dates of the new pair if those of the current one are fine; else NULL. */
static const char *worse_than(const struct credentials *fresh, const struct credentials *current)
{
	const time_t now = time(NULL);

	if (!current || credentials_date_problem(current->not_before, current->not_after, now))
		return NULL;
	return credentials_date_problem(fresh->not_before, fresh->not_after, now);
}

int credentials_store_replace(struct credentials_store *store, struct credentials *fresh, struct error *err)
{
	struct credentials *unused; /* the previous pair, or the refused one */
	const char *problem;

	pthread_mutex_lock(&store->lock);
	problem = worse_than(fresh, store->current);
	unused = problem ? fresh : store->current;
	if (!problem)
		store->current = fresh;
	pthread_mutex_unlock(&store->lock);
	credentials_unref(unused);
	return problem ? error_set(err, ERROR_INVALID, "%s, and the previous one is still valid", problem) : 0;
}

struct credentials *credentials_store_ref(struct credentials_store *store)
{
	struct credentials *current;

	pthread_mutex_lock(&store->lock);
	current = store->current;
	if (current)
		atomic_fetch_add(&current->references, 1);
	pthread_mutex_unlock(&store->lock);
	return current;
}
