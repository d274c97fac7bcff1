/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <string.h>

#include <openssl/bn.h>
#include <openssl/x509v3.h>

#include "pki/keypair.h"
#include "pki/mint.h"
#include "pki/openssl.h"
#include "pki/service_names.h"
#include "suites.h"
#include "unit.h"

enum {
	NOW = 1800000000, /* 2027-01-15 08:00:00 UTC */
	DAY = 24 * 60 * 60,
};

static struct service_names sample_names(void)
{
	struct service_names names;

	CU_ASSERT_EQUAL(service_names_init(&names, "hook", "ml", "cluster.local", NULL), 0);
	return names;
}

/* A CA and a leaf of it, both valid for 30 days. */
static void mint_sample(struct keypair *ca, struct keypair *leaf)
{
	struct service_names names = sample_names();
	struct error err = {0};

	keypair_init(ca);
	keypair_init(leaf);
	CU_ASSERT_EQUAL(mint_ca("test CA", NOW, NOW + 30 * DAY, ca, &err), 0);
	CU_ASSERT_EQUAL(mint_leaf(ca, &names, NOW, NOW + 30 * DAY, leaf, &err), 0);
	CHECK_STRING(err.message, "");
}

static bool is_valid_at(const struct keypair *leaf, const struct keypair *ca, const char *host, time_t at)
{
	CLEANUP(free_x509) X509 *leaf_x509 = openssl_read_certificate(&leaf->certificate, NULL);
	CLEANUP(free_x509) X509 *ca_x509 = openssl_read_certificate(&ca->certificate, NULL);
	X509_STORE *store = X509_STORE_new();
	X509_STORE_CTX *context = X509_STORE_CTX_new();
	X509_VERIFY_PARAM *param;
	bool valid = false;

	if (leaf_x509 && ca_x509 && store && context && X509_STORE_add_cert(store, ca_x509) == 1 &&
	    X509_STORE_CTX_init(context, store, leaf_x509, NULL) == 1) {
		param = X509_STORE_CTX_get0_param(context);
		X509_VERIFY_PARAM_set_time(param, at);
		X509_VERIFY_PARAM_set_flags(param, X509_V_FLAG_X509_STRICT);
		X509_VERIFY_PARAM_set_purpose(param, X509_PURPOSE_SSL_SERVER);
		X509_VERIFY_PARAM_set1_host(param, host, 0);
		valid = X509_verify_cert(context) == 1;
	}
	X509_STORE_CTX_free(context);
	X509_STORE_free(store);
	return valid;
}

static void test_names(void)
{
	struct service_names names;

	CU_ASSERT_EQUAL(service_names_init(&names, "hook", "ml", "", NULL), 0);
	CU_ASSERT_EQUAL(names.count, 3);
	CHECK_STRING(names.dns[0], "hook.ml.svc");
	CHECK_STRING(names.dns[1], "hook");
	CHECK_STRING(names.dns[2], "hook.ml");
	CU_ASSERT_EQUAL(service_names_init(&names, "hook", "ml", "cluster.local", NULL), 0);
	CU_ASSERT_EQUAL(names.count, 4);
	CHECK_STRING(names.dns[3], "hook.ml.svc.cluster.local");
}

static void test_names_refused(void)
{
	char longest[DNS_NAME_MAX + 1] = "";
	struct service_names names;
	struct error err = {0};

	for (size_t i = 0; i < DNS_NAME_MAX; i++)
		longest[i] = i % 2 ? '.' : 'a';
	CU_ASSERT_EQUAL(service_names_init(&names, "Hook", "ml", "", &err), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "\"Hook\""));
	CU_ASSERT_EQUAL(service_names_init(&names, "hook", "m.l", "", &err), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "\"m.l\""));
	CU_ASSERT_EQUAL(service_names_init(&names, "hook", "ml", longest, &err), -1);
	CU_ASSERT_EQUAL(err.code, ERROR_INVALID);
}

static void test_verifies(void)
{
	struct service_names names = sample_names();
	CLEANUP(keypair_release) struct keypair ca;
	CLEANUP(keypair_release) struct keypair leaf;
	CLEANUP(keypair_release) struct keypair other_ca;
	CLEANUP(keypair_release) struct keypair other_leaf;

	mint_sample(&ca, &leaf);
	mint_sample(&other_ca, &other_leaf);
	for (size_t i = 0; i < names.count; i++)
		CU_ASSERT_TRUE(is_valid_at(&leaf, &ca, names.dns[i], NOW));
	CU_ASSERT_FALSE(is_valid_at(&leaf, &ca, "hook.other.svc", NOW));
	CU_ASSERT_FALSE(is_valid_at(&leaf, &other_ca, "hook", NOW));
	/* Both CAs have one name: the key identifiers tell them apart when a rotation publishes them together. */
	buf_add(&other_ca.certificate, ca.certificate.data, ca.certificate.len);
	CU_ASSERT_TRUE(is_valid_at(&other_leaf, &other_ca, "hook", NOW));
}

static void test_dates(void)
{
	CLEANUP(keypair_release) struct keypair ca;
	CLEANUP(keypair_release) struct keypair leaf;
	struct keypair_dates dates = {0};

	mint_sample(&ca, &leaf);
	CU_ASSERT_EQUAL(keypair_read_dates(&leaf.certificate, &dates, NULL), 0);
	CU_ASSERT_EQUAL(dates.not_before, NOW - 60 * 60);
	CU_ASSERT_EQUAL(dates.not_after, NOW + 30 * DAY);
	CU_ASSERT_TRUE(is_valid_at(&leaf, &ca, "hook", dates.not_before));
	CU_ASSERT_TRUE(is_valid_at(&leaf, &ca, "hook", dates.not_after - 1)); /* OpenSSL leaves out the last second */
	CU_ASSERT_FALSE(is_valid_at(&leaf, &ca, "hook", dates.not_before - 1));
	CU_ASSERT_FALSE(is_valid_at(&leaf, &ca, "hook", dates.not_after + 1));
}

/* From 2050 on, X.509 writes years with four digits. */
static void test_dates_after_2050(void)
{
	const time_t now = 2524608000 + 5; /* 2050-01-01 00:00:05 UTC: validity begins in 2049 */
	CLEANUP(keypair_release) struct keypair ca;
	struct keypair_dates dates = {0};

	keypair_init(&ca);
	CU_ASSERT_EQUAL(mint_ca("test CA", now, now + DAY, &ca, NULL), 0);
	CU_ASSERT_EQUAL(keypair_read_dates(&ca.certificate, &dates, NULL), 0);
	CU_ASSERT_EQUAL(dates.not_before, now - 60 * 60);
	CU_ASSERT_EQUAL(dates.not_after, now + DAY);
}

static void check_serial(X509 *x509)
{
	BIGNUM *serial = ASN1_INTEGER_to_BN(X509_get0_serialNumber(x509), NULL);

	CU_ASSERT_FALSE(BN_is_negative(serial));
	CU_ASSERT_FALSE(BN_is_zero(serial));
	CU_ASSERT(BN_num_bits(serial) <= 159);
	CU_ASSERT(BN_num_bits(serial) > 100); /* fails by chance once in 2^59 runs */
	BN_free(serial);
}

static void test_serials(void)
{
	CLEANUP(keypair_release) struct keypair ca;
	CLEANUP(keypair_release) struct keypair leaf;
	CLEANUP(free_x509) X509 *ca_x509 = NULL;
	CLEANUP(free_x509) X509 *leaf_x509 = NULL;

	mint_sample(&ca, &leaf);
	ca_x509 = openssl_read_certificate(&ca.certificate, NULL);
	leaf_x509 = openssl_read_certificate(&leaf.certificate, NULL);
	CU_ASSERT_PTR_NOT_NULL(ca_x509);
	CU_ASSERT_PTR_NOT_NULL(leaf_x509);
	if (!ca_x509 || !leaf_x509)
		return;
	check_serial(ca_x509);
	check_serial(leaf_x509);
	CU_ASSERT_NOT_EQUAL(ASN1_INTEGER_cmp(X509_get0_serialNumber(ca_x509), X509_get0_serialNumber(leaf_x509)), 0);
}

static void check_common_name(const char *service, const char *namespace, const char *expected)
{
	CLEANUP(keypair_release) struct keypair ca;
	CLEANUP(keypair_release) struct keypair leaf;
	CLEANUP(free_x509) X509 *x509 = NULL;
	char name[256] = "";
	struct service_names names;

	keypair_init(&ca);
	keypair_init(&leaf);
	CU_ASSERT_EQUAL(service_names_init(&names, service, namespace, "", NULL), 0);
	CU_ASSERT_EQUAL(mint_ca("test CA", NOW, NOW + DAY, &ca, NULL), 0);
	CU_ASSERT_EQUAL(mint_leaf(&ca, &names, NOW, NOW + DAY, &leaf, NULL), 0);
	CU_ASSERT_TRUE(is_valid_at(&leaf, &ca, names.dns[0], NOW));
	x509 = openssl_read_certificate(&leaf.certificate, NULL);
	if (x509)
		X509_NAME_get_text_by_NID(X509_get_subject_name(x509), NID_commonName, name, sizeof(name));
	CHECK_STRING(name, expected);
}

static void test_common_name(void)
{
	char label[DNS_LABEL_MAX + 1] = "";

	check_common_name("hook", "ml", "hook.ml.svc");
	memset(label, 'a', DNS_LABEL_MAX);
	check_common_name(label, label, label);
	label[58] = '\0'; /* with ".ml.svc" one character too long, then just right */
	check_common_name(label, "ml", label);
	label[57] = '\0';
	check_common_name(label, "ml", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.ml.svc");
}

static void test_ca_name(void)
{
	char name[MINT_NAME_MAX + 2] = "";
	CLEANUP(keypair_release) struct keypair ca;
	struct error err = {0};

	keypair_init(&ca);
	CU_ASSERT_EQUAL(mint_ca("", NOW, NOW + DAY, &ca, &err), -1);
	memset(name, 'n', MINT_NAME_MAX + 1);
	CU_ASSERT_EQUAL(mint_ca(name, NOW, NOW + DAY, &ca, &err), -1);
	CU_ASSERT_EQUAL(err.code, ERROR_INVALID);
	CU_ASSERT_EQUAL(ca.certificate.len, 0);
	name[MINT_NAME_MAX] = '\0';
	CU_ASSERT_EQUAL(mint_ca(name, NOW, NOW + DAY, &ca, &err), 0);
}

static void test_end_in_the_past(void)
{
	struct service_names names = sample_names();
	CLEANUP(keypair_release) struct keypair ca;
	CLEANUP(keypair_release) struct keypair leaf;
	struct error err = {0};

	mint_sample(&ca, &leaf);
	CU_ASSERT_EQUAL(mint_ca("test CA", NOW, NOW, &ca, &err), -1);
	CU_ASSERT_EQUAL(err.code, ERROR_INVALID);
	CU_ASSERT_EQUAL(mint_leaf(&ca, &names, NOW, NOW - 1, &leaf, &err), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "expired"));
	CU_ASSERT_EQUAL(mint_leaf(&ca, &names, NOW, NOW + 1, &leaf, &err), 0);
}

static void test_ca_refused(void)
{
	struct service_names names = sample_names();
	CLEANUP(keypair_release) struct keypair ca;
	CLEANUP(keypair_release) struct keypair leaf;
	CLEANUP(keypair_release) struct keypair other;
	struct keypair mixed = {0};
	struct error err = {0};
	size_t len;

	mint_sample(&ca, &leaf);
	keypair_init(&other);
	CU_ASSERT_EQUAL(mint_ca("test CA", NOW, NOW + DAY, &other, &err), 0);
	len = other.certificate.len;
	CU_ASSERT_EQUAL(mint_leaf(&leaf, &names, NOW, NOW + DAY, &other, &err), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "is not a CA's"));
	CU_ASSERT_EQUAL(mint_leaf(&ca, &names, NOW, NOW + 30 * DAY + 1, &other, &err), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "expires before"));
	mixed = (struct keypair){.certificate = ca.certificate, .key = other.key}; /* borrows both */
	CU_ASSERT_EQUAL(mint_leaf(&mixed, &names, NOW, NOW + DAY, &other, &err), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "does not belong"));
	CU_ASSERT_EQUAL(other.certificate.len, len); /* untouched by the failures */
}

static void test_pair_check(void)
{
	CLEANUP(keypair_release) struct keypair ca;
	CLEANUP(keypair_release) struct keypair leaf;
	CLEANUP(keypair_release) struct keypair empty;
	struct keypair mixed;
	struct error err = {0};

	mint_sample(&ca, &leaf);
	keypair_init(&empty);
	CU_ASSERT_EQUAL(keypair_check(&ca, &err), 0);
	CU_ASSERT_EQUAL(keypair_check(&leaf, &err), 0);
	mixed = (struct keypair){.certificate = leaf.certificate, .key = ca.key}; /* borrows both */
	CU_ASSERT_EQUAL(keypair_check(&mixed, &err), -1);
	CU_ASSERT_EQUAL(err.code, ERROR_INVALID);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "does not belong"));
	CU_ASSERT_EQUAL(keypair_check(&empty, &err), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "no certificate"));
	mixed.key = leaf.certificate;
	CU_ASSERT_EQUAL(keypair_check(&mixed, &err), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "no unencrypted private key"));
	leaf.certificate.data[leaf.certificate.len / 2] = '!';
	CU_ASSERT_EQUAL(keypair_check(&leaf, &err), -1);
}

/* That it overwrites can't be tested here, because freed memory must not be read. */
static void test_openssl_memory(void)
{
	char *memory = OPENSSL_malloc(3);
	bool kept = true;

	if (memory)
		memcpy(memory, "key", 3);
	for (size_t size = 3; memory && size < 5000; size += 100) {
		memory = OPENSSL_realloc(memory, size);
		kept &= memory && memcmp(memory, "key", 3) == 0;
	}
	memory = OPENSSL_realloc(memory, 2);
	CU_ASSERT(kept && memory && memcmp(memory, "ke", 2) == 0);
	CU_ASSERT_PTR_NULL(OPENSSL_realloc(memory, 0));
	CU_ASSERT_PTR_NULL(OPENSSL_malloc(0));
	memory = OPENSSL_realloc(NULL, 1);
	CU_ASSERT_PTR_NOT_NULL(memory);
	OPENSSL_free(memory);
	OPENSSL_free(NULL);
}

int add_pki_suite(void)
{
	static const struct unit_test tests[] = {
		{"the names of a Service", test_names},
		{"names that are refused", test_names_refused},
		{"a leaf verifies by its CA", test_verifies},
		{"dates", test_dates},
		{"dates after 2050", test_dates_after_2050},
		{"serial numbers", test_serials},
		{"common names", test_common_name},
		{"the name of a CA", test_ca_name},
		{"an end in the past", test_end_in_the_past},
		{"what is not a CA signs nothing", test_ca_refused},
		{"a key belongs to its certificate", test_pair_check},
		{"memory of OpenSSL", test_openssl_memory},
		{NULL, NULL},
	};

	return add_suite("pki", tests);
}
