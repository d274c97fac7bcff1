/* SPDX-License-Identifier: Apache-2.0 */
#include "pki/extension.h"

#include <stdbool.h>
#include <string.h>

#include <openssl/x509v3.h>

#include "pki/openssl.h"

enum {
	/* RFC 5280, 4.2.1.3 */
	BIT_DIGITAL_SIGNATURE = 0,
	BIT_KEY_CERT_SIGN = 5,
	BIT_CRL_SIGN = 6,

	KEY_ID_SIZE = 20, /* RFC 7093, section 2, method 1: the left 160 bits of the SHA-256 hash */
};

static void free_basic_constraints(BASIC_CONSTRAINTS **constraints)
{
	BASIC_CONSTRAINTS_free(*constraints);
}

static void free_bit_string(ASN1_BIT_STRING **bits)
{
	ASN1_BIT_STRING_free(*bits);
}

static void free_octet_string(ASN1_OCTET_STRING **octets)
{
	ASN1_OCTET_STRING_free(*octets);
}

static void free_extended_key_usage(EXTENDED_KEY_USAGE **usage)
{
	EXTENDED_KEY_USAGE_free(*usage);
}

static void free_authority_key_id(AUTHORITY_KEYID **id)
{
	AUTHORITY_KEYID_free(*id);
}

static void free_general_names(GENERAL_NAMES **names)
{
	GENERAL_NAMES_free(*names);
}

static bool add(X509 *certificate, int nid, void *value, bool critical)
{
	return X509_add1_ext_i2d(certificate, nid, value, critical, X509V3_ADD_DEFAULT) == 1;
}

static bool add_basic_constraints(X509 *certificate, bool is_ca)
{
	CLEANUP(free_basic_constraints) BASIC_CONSTRAINTS *constraints = BASIC_CONSTRAINTS_new();

	if (!constraints)
		return false;
	constraints->ca = is_ca ? 0xff : 0; /* it is written as is, and DER has no other TRUE */
	if (is_ca) {
		constraints->pathlen = ASN1_INTEGER_new();
		if (!constraints->pathlen || !ASN1_INTEGER_set(constraints->pathlen, 0))
			return false;
	}
	return add(certificate, NID_basic_constraints, constraints, true);
}

static bool add_key_usage(X509 *certificate, const int *bits, size_t count)
{
	CLEANUP(free_bit_string) ASN1_BIT_STRING *usage = ASN1_BIT_STRING_new();

	if (!usage)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (!ASN1_BIT_STRING_set_bit(usage, bits[i], 1))
			return false;
	}
	return add(certificate, NID_key_usage, usage, true);
}

static bool add_server_auth(X509 *certificate)
{
	CLEANUP(free_extended_key_usage) EXTENDED_KEY_USAGE *usage = EXTENDED_KEY_USAGE_new();

	/* OBJ_nid2obj's objects are static: freeing one does nothing. */
	return usage && sk_ASN1_OBJECT_push(usage, OBJ_nid2obj(NID_server_auth)) > 0 &&
	       add(certificate, NID_ext_key_usage, usage, false);
}

static bool add_subject_key_id(X509 *certificate)
{
	CLEANUP(free_octet_string) ASN1_OCTET_STRING *id = ASN1_OCTET_STRING_new();
	unsigned char hash[EVP_MAX_MD_SIZE];
	unsigned int len;

	return id && X509_pubkey_digest(certificate, EVP_sha256(), hash, &len) &&
	       ASN1_OCTET_STRING_set(id, hash, KEY_ID_SIZE) && add(certificate, NID_subject_key_identifier, id, false);
}

static bool add_authority_key_id(X509 *certificate, X509 *ca)
{
	CLEANUP(free_authority_key_id) AUTHORITY_KEYID *id = AUTHORITY_KEYID_new();
	const ASN1_OCTET_STRING *ca_id = X509_get0_subject_key_id(ca);

	if (!id || !ca_id)
		return false;
	id->keyid = ASN1_OCTET_STRING_dup(ca_id);
	return id->keyid && add(certificate, NID_authority_key_identifier, id, false);
}

static bool push_dns_name(GENERAL_NAMES *names, const char *dns)
{
	GENERAL_NAME *name = GENERAL_NAME_new();
	ASN1_IA5STRING *text = ASN1_IA5STRING_new();

	if (!name || !text || !ASN1_STRING_set(text, dns, (int)strlen(dns))) {
		ASN1_IA5STRING_free(text);
		GENERAL_NAME_free(name);
		return false;
	}
	GENERAL_NAME_set0_value(name, GEN_DNS, text);
	if (sk_GENERAL_NAME_push(names, name) <= 0) {
		GENERAL_NAME_free(name);
		return false;
	}
	return true;
}

static bool add_names(X509 *certificate, const struct service_names *names)
{
	CLEANUP(free_general_names) GENERAL_NAMES *list = GENERAL_NAMES_new();

	if (!list)
		return false;
	for (size_t i = 0; i < names->count; i++) {
		if (!push_dns_name(list, names->dns[i]))
			return false;
	}
	return add(certificate, NID_subject_alt_name, list, false);
}

int extension_add_ca(X509 *certificate, struct error *err)
{
	static const int bits[] = {BIT_KEY_CERT_SIGN, BIT_CRL_SIGN};

	if (!add_basic_constraints(certificate, true) || !add_key_usage(certificate, bits, ARRAY_LEN(bits)) ||
	    !add_subject_key_id(certificate))
		return openssl_failed("can't add the extensions of a CA certificate", err);
	return 0;
}

int extension_add_leaf(X509 *certificate, X509 *ca, const struct service_names *names, struct error *err)
{
	static const int bits[] = {BIT_DIGITAL_SIGNATURE};

	if (!add_basic_constraints(certificate, false) || !add_key_usage(certificate, bits, ARRAY_LEN(bits)) ||
	    !add_server_auth(certificate) || !add_names(certificate, names) || !add_subject_key_id(certificate) ||
	    !add_authority_key_id(certificate, ca))
		return openssl_failed("can't add the extensions of a serving certificate", err);
	return 0;
}
