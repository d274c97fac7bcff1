#include "net/credentials.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gnutls/x509.h>

enum { PEM_MAX = 256 * 1024 }; /* bytes of one file: chains take some 10 KiB */

/* A file's bytes, wiped when they go: one of them is a key. */
struct secret {
	unsigned char *bytes;
	size_t len;
};

static void secret_release(struct secret *secret)
{
	if (secret->bytes)
		explicit_bzero(secret->bytes, PEM_MAX);
	free(secret->bytes);
	*secret = (struct secret){0};
}

static void close_fd(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static int read_secret(const char *path, const char *what, struct secret *secret, struct error *err)
{
	CLEANUP(close_fd) const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return error_set(err, ERROR_SYSTEM, "cannot read the %s %s: %s", what, path, strerror(errno));
	secret->bytes = malloc(PEM_MAX);
	if (!secret->bytes)
		return error_set(err, ERROR_NO_MEMORY, "no memory to read the %s %s", what, path);
	for (;;) {
		ssize_t got = read(fd, secret->bytes + secret->len, PEM_MAX - secret->len);

		if (got < 0)
			return error_set(err, ERROR_SYSTEM, "cannot read the %s %s: %s", what, path, strerror(errno));
		if (got == 0)
			return 0;
		secret->len += (size_t)got;
		if (secret->len == PEM_MAX)
			return error_set(err, ERROR_INVALID, "the %s %s has %d bytes or more", what, path, PEM_MAX);
	}
}

static gnutls_datum_t datum_of(const struct secret *secret)
{
	return (gnutls_datum_t){.data = secret->bytes, .size = (unsigned)secret->len};
}

/* Reads the leaf's dates, and so finds out whether the file holds certificates at all. */
static int read_dates(const struct secret *pem, struct credentials *credentials)
{
	const gnutls_datum_t datum = datum_of(pem);
	gnutls_x509_crt_t *chain = NULL;
	unsigned count = 0;
	int failure = gnutls_x509_crt_list_import2(&chain, &count, &datum, GNUTLS_X509_FMT_PEM, 0);

	if (failure < 0)
		return failure;
	credentials->not_before = gnutls_x509_crt_get_activation_time(chain[0]);
	credentials->not_after = gnutls_x509_crt_get_expiration_time(chain[0]);
	for (unsigned i = 0; i < count; i++)
		gnutls_x509_crt_deinit(chain[i]);
	gnutls_free(chain);
	return 0;
}

static int load_pair(struct credentials *credentials, const char *certificate_file, const char *key_file,
		     struct error *err)
{
	CLEANUP(secret_release) struct secret certificate = {0};
	CLEANUP(secret_release) struct secret key = {0};
	gnutls_datum_t certificate_datum, key_datum;
	int failure;

	if (read_secret(certificate_file, "certificate", &certificate, err) < 0 ||
	    read_secret(key_file, "key", &key, err) < 0)
		return -1;
	failure = read_dates(&certificate, credentials);
	if (failure < 0)
		return error_set(err, ERROR_INVALID, "the certificate %s is no PEM certificate: %s", certificate_file,
				 gnutls_strerror(failure));
	certificate_datum = datum_of(&certificate);
	key_datum = datum_of(&key);
	failure = gnutls_certificate_set_x509_key_mem(credentials->x509, &certificate_datum, &key_datum,
						      GNUTLS_X509_FMT_PEM);
	if (failure == GNUTLS_E_CERTIFICATE_KEY_MISMATCH)
		return error_set(err, ERROR_INVALID, "the certificate %s and the key %s are not a pair",
				 certificate_file, key_file);
	if (failure < 0)
		return error_set(err, ERROR_INVALID, "the key %s is no PEM key: %s", key_file,
				 gnutls_strerror(failure));
	return 0;
}

int credentials_load(const char *certificate_file, const char *key_file, struct credentials **ret, struct error *err)
{
	struct credentials *credentials = calloc(1, sizeof(*credentials));

	if (!credentials || gnutls_certificate_allocate_credentials(&credentials->x509) < 0) {
		free(credentials);
		error_set(err, ERROR_NO_MEMORY, "no memory for the certificate");
		return -1;
	}
	atomic_init(&credentials->references, 1);
	if (load_pair(credentials, certificate_file, key_file, err) < 0) {
		credentials_unref(credentials);
		return -1;
	}
	*ret = credentials;
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

void credentials_store_init(struct credentials_store *store, const char *certificate_file, const char *key_file)
{
	*store = (struct credentials_store){.certificate_file = certificate_file, .key_file = key_file};
	pthread_mutex_init(&store->lock, NULL);
}

void credentials_store_release(struct credentials_store *store)
{
	credentials_unref(store->current);
	pthread_mutex_destroy(&store->lock);
}

/* A file that can't be looked at is all zeros. */
static struct stat stat_of(const char *path)
{
	struct stat found;

	return stat(path, &found) == 0 ? found : (struct stat){0};
}

/* Whether the new pair has expired and the current one, if any, has not. */
static bool is_worse(const struct credentials *fresh, const struct credentials *current)
{
	const time_t now = time(NULL);

	return current && fresh->not_after < now &&
	       !credentials_date_problem(current->not_before, current->not_after, now);
}

int credentials_store_load(struct credentials_store *store, struct error *err)
{
	struct credentials *credentials = NULL;
	struct credentials *before;

	/* Before reading: what changes in between is then another file at the next look. */
	store->certificate_stat = stat_of(store->certificate_file);
	store->key_stat = stat_of(store->key_file);
	if (credentials_load(store->certificate_file, store->key_file, &credentials, err) < 0)
		return -1;
	if (is_worse(credentials, store->current)) {
		credentials_unref(credentials);
		return error_set(err, ERROR_INVALID, "the certificate %s has expired", store->certificate_file);
	}
	pthread_mutex_lock(&store->lock);
	before = store->current;
	store->current = credentials;
	pthread_mutex_unlock(&store->lock);
	credentials_unref(before);
	return 0;
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

bool credentials_store_changed(const struct credentials_store *store)
{
	const struct stat certificate = stat_of(store->certificate_file);
	const struct stat key = stat_of(store->key_file);

	return !is_same_file(&certificate, &store->certificate_stat) || !is_same_file(&key, &store->key_stat);
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
