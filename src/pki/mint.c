/* SPDX-License-Identifier: Apache-2.0 */
#include "pki/mint.h"

#include <string.h>

#include <openssl/bn.h>
#include <openssl/x509v3.h>

#include "pki/extension.h"
#include "pki/openssl.h"

enum { SERIAL_BITS = 159 }; /* a 160th would be the sign */

static void free_number(BIGNUM **number)
{
	BN_free(*number);
}

static bool set_serial(X509 *certificate)
{
	CLEANUP(free_number) BIGNUM *serial = BN_new();

	if (!serial)
		return false;
	do {
		if (!BN_rand(serial, SERIAL_BITS, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY))
			return false;
	} while (BN_is_zero(serial));
	return BN_to_ASN1_INTEGER(serial, X509_get_serialNumber(certificate)) != NULL;
}

static bool set_dates(X509 *certificate, time_t now, time_t not_after)
{
	return ASN1_TIME_set(X509_getm_notBefore(certificate), now - MINT_BACKDATE) &&
	       ASN1_TIME_set(X509_getm_notAfter(certificate), not_after);
}

static bool set_subject(X509 *certificate, const char *name)
{
	return X509_NAME_add_entry_by_NID(X509_get_subject_name(certificate), NID_commonName, MBSTRING_UTF8,
					  (const unsigned char *)name, -1, -1, 0) == 1;
}

/* All but the issuer, the extensions and the signature. The caller owns the result; NULL on failure. */
static X509 *new_certificate(const char *name, EVP_PKEY *key, time_t now, time_t not_after, struct error *err)
{
	CLEANUP(free_x509) X509 *certificate = NULL;

	if (not_after <= now) {
		error_set(err, ERROR_INVALID, "the certificate would have expired already");
		return NULL;
	}
	certificate = X509_new();
	if (!certificate || !X509_set_version(certificate, X509_VERSION_3) || !set_serial(certificate) ||
	    !set_dates(certificate, now, not_after) || !set_subject(certificate, name) ||
	    !X509_set_pubkey(certificate, key)) {
		openssl_failed("can't make a certificate", err);
		return NULL;
	}
	return STEAL(certificate);
}

static EVP_PKEY *new_key(struct error *err)
{
	EVP_PKEY *key = EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256");

	if (!key)
		openssl_failed("can't make a P-256 key", err);
	return key;
}

static int sign_and_write(X509 *certificate, EVP_PKEY *key, EVP_PKEY *ca_key, struct keypair *ret_pair,
			  struct error *err)
{
	CLEANUP(keypair_release) struct keypair pair = {0};

	keypair_init(&pair);
	if (!X509_sign(certificate, ca_key, EVP_sha256()))
		return openssl_failed("can't sign a certificate", err);
	if (openssl_write_certificate(certificate, &pair.certificate, err) < 0 ||
	    openssl_write_key(key, &pair.key, err) < 0)
		return -1;
	keypair_move(ret_pair, &pair);
	return 0;
}

int mint_ca(const char *name, time_t now, time_t not_after, struct keypair *ret_pair, struct error *err)
{
	CLEANUP(free_key) EVP_PKEY *key = NULL;
	CLEANUP(free_x509) X509 *certificate = NULL;

	if (!name[0] || strlen(name) > MINT_NAME_MAX)
		return error_set(err, ERROR_INVALID, "the CA's name \"%s\" must have 1 to %d characters", name,
				 MINT_NAME_MAX);
	key = new_key(err);
	if (!key)
		return -1;
	certificate = new_certificate(name, key, now, not_after, err);
	if (!certificate)
		return -1;
	if (!X509_set_issuer_name(certificate, X509_get_subject_name(certificate)))
		return openssl_failed("can't name a certificate's issuer", err);
	if (extension_add_ca(certificate, err) < 0)
		return -1;
	return sign_and_write(certificate, key, key, ret_pair, err);
}

static int check_ca(X509 *ca, EVP_PKEY *ca_key, const X509 *leaf, struct error *err)
{
	if (X509_check_private_key(ca, ca_key) != 1)
		return openssl_failed("the CA's private key does not belong to its certificate", err);
	if (X509_check_ca(ca) != 1)
		return error_set(err, ERROR_INVALID, "the certificate to sign with is not a CA's");
	if (ASN1_TIME_compare(X509_get0_notAfter(ca), X509_get0_notAfter(leaf)) < 0)
		return error_set(err, ERROR_INVALID, "the CA expires before the certificate that it is to sign");
	return 0;
}

int mint_leaf(const struct keypair *ca, const struct service_names *names, time_t now, time_t not_after,
	      struct keypair *ret_pair, struct error *err)
{
	/* The name that the API server uses may be too long for a common name; the Service's own name never is. */
	const char *name = strlen(names->dns[0]) <= MINT_NAME_MAX ? names->dns[0] : names->dns[1];
	CLEANUP(free_x509) X509 *ca_certificate = openssl_read_certificate(&ca->certificate, err);
	CLEANUP(free_key) EVP_PKEY *ca_key = ca_certificate ? openssl_read_key(&ca->key, err) : NULL;
	CLEANUP(free_key) EVP_PKEY *key = ca_key ? new_key(err) : NULL;
	CLEANUP(free_x509) X509 *certificate = key ? new_certificate(name, key, now, not_after, err) : NULL;

	if (!certificate || check_ca(ca_certificate, ca_key, certificate, err) < 0)
		return -1;
	if (!X509_set_issuer_name(certificate, X509_get_subject_name(ca_certificate)))
		return openssl_failed("can't name a certificate's issuer", err);
	if (extension_add_leaf(certificate, ca_certificate, names, err) < 0)
		return -1;
	return sign_and_write(certificate, key, ca_key, ret_pair, err);
}
