/* SPDX-License-Identifier: Apache-2.0 */
#include "pki/keypair.h"

#include "pki/openssl.h"

void keypair_init(struct keypair *pair)
{
	buf_init(&pair->certificate, KEYPAIR_CERTIFICATE_MAX);
	buf_init_secret(&pair->key, KEYPAIR_KEY_MAX);
}

void keypair_release(struct keypair *pair)
{
	buf_release(&pair->certificate);
	buf_release(&pair->key);
	keypair_init(pair);
}

void keypair_move(struct keypair *to, struct keypair *from)
{
	keypair_release(to);
	*to = *from;
	keypair_init(from);
}

int keypair_check(const struct keypair *pair, struct error *err)
{
	CLEANUP(free_x509) X509 *certificate = openssl_read_certificate(&pair->certificate, err);
	CLEANUP(free_key) EVP_PKEY *key = certificate ? openssl_read_key(&pair->key, err) : NULL;

	if (!key)
		return -1;
	if (X509_check_private_key(certificate, key) != 1)
		return openssl_failed("the private key does not belong to the certificate", err);
	return 0;
}

int keypair_read_dates(const struct buf *certificate, struct keypair_dates *ret_dates, struct error *err)
{
	CLEANUP(free_x509) X509 *x509 = openssl_read_certificate(certificate, err);

	return x509 ? openssl_read_dates(x509, &ret_dates->not_before, &ret_dates->not_after, err) : -1;
}
