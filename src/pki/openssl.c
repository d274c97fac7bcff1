/* SPDX-License-Identifier: Apache-2.0 */
#include "pki/openssl.h"

#include <limits.h>

#include <openssl/err.h>
#include <openssl/pem.h>

int openssl_failed(const char *what, struct error *err)
{
	const unsigned long last = ERR_peek_last_error();
	const char *reason = last ? ERR_reason_error_string(last) : NULL;
	const bool no_memory = ERR_GET_REASON(last) == ERR_R_MALLOC_FAILURE;

	ERR_clear_error();
	return error_set(err, no_memory ? ERROR_NO_MEMORY : ERROR_INVALID, "%s%s%s", what, reason ? ": " : "",
			 reason ? reason : "");
}

/* Without a callback of ours OpenSSL would ask for a passphrase at the terminal. */
static int refuse_passphrase(char *buffer, int size, int writing, void *data)
{
	(void)buffer;
	(void)size;
	(void)writing;
	(void)data;
	return -1;
}

/* Reads the text in place; NULL if it is empty. */
static BIO *open_text(const char *pem, size_t len)
{
	return len > 0 && len <= INT_MAX ? BIO_new_mem_buf(pem, (int)len) : NULL;
}

X509 *openssl_parse_certificate(const char *pem, size_t len, struct error *err)
{
	CLEANUP(free_bio) BIO *bio = open_text(pem, len);
	X509 *x509 = bio ? PEM_read_bio_X509(bio, NULL, refuse_passphrase, NULL) : NULL;

	if (!x509)
		openssl_failed("no certificate in PEM", err);
	return x509;
}

X509 *openssl_read_certificate(const struct buf *pem, struct error *err)
{
	return openssl_parse_certificate(pem->data, pem->len, err);
}

static int to_time(const ASN1_TIME *from, time_t *ret_time)
{
	struct tm tm;

	if (ASN1_TIME_to_tm(from, &tm) != 1)
		return -1;
	*ret_time = timegm(&tm);
	return 0;
}

int openssl_read_dates(const X509 *x509, time_t *ret_not_before, time_t *ret_not_after, struct error *err)
{
	time_t not_before, not_after;

	if (to_time(X509_get0_notBefore(x509), &not_before) < 0 || to_time(X509_get0_notAfter(x509), &not_after) < 0)
		return openssl_failed("the certificate's dates are unreadable", err);
	*ret_not_before = not_before;
	*ret_not_after = not_after;
	return 0;
}

EVP_PKEY *openssl_read_key(const struct buf *pem, struct error *err)
{
	CLEANUP(free_bio) BIO *bio = open_text(pem->data, pem->len);
	EVP_PKEY *key = bio ? PEM_read_bio_PrivateKey(bio, NULL, refuse_passphrase, NULL) : NULL;

	if (!key)
		openssl_failed("no unencrypted private key in PEM", err);
	return key;
}

static int take_bio(BIO *bio, struct buf *pem, struct error *err)
{
	char *data;
	const long len = BIO_get_mem_data(bio, &data);

	buf_add(pem, data, (size_t)len);
	if (pem->failed)
		return error_set(err, ERROR_NO_MEMORY, "no memory for %ld bytes of PEM", len);
	return 0;
}

int openssl_write_certificate(X509 *x509, struct buf *pem, struct error *err)
{
	CLEANUP(free_bio) BIO *bio = BIO_new(BIO_s_mem());

	if (!bio || !PEM_write_bio_X509(bio, x509))
		return openssl_failed("can't write a certificate as PEM", err);
	return take_bio(bio, pem, err);
}

int openssl_write_key(const EVP_PKEY *key, struct buf *pem, struct error *err)
{
	/* The secure kind overwrites its memory, also when it grows. */
	CLEANUP(free_bio) BIO *bio = BIO_new(BIO_s_secmem());

	if (!bio || !PEM_write_bio_PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL))
		return openssl_failed("can't write a private key as PEM", err);
	return take_bio(bio, pem, err);
}
