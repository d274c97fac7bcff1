/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "pki/inspect.h"
#include "pki/keypair.h"
#include "pki/mint.h"
#include "suites.h"
#include "unit.h"

enum {
	NOW = 1800000000,
	DAY = 24 * 60 * 60,
	TEXT_MAX = 64 * 1024,
};

/* Two CAs and a leaf of the first. */
struct sample {
	struct keypair one, two, leaf;
};

static void sample_init(struct sample *sample)
{
	struct service_names names;

	keypair_init(&sample->one);
	keypair_init(&sample->two);
	keypair_init(&sample->leaf);
	CU_ASSERT_EQUAL(service_names_init(&names, "hook", "ml", "", NULL), 0);
	CU_ASSERT_EQUAL(mint_ca("first", NOW, NOW + 2 * DAY, &sample->one, NULL), 0);
	CU_ASSERT_EQUAL(mint_ca("second", NOW, NOW + 3 * DAY, &sample->two, NULL), 0);
	CU_ASSERT_EQUAL(mint_leaf(&sample->one, &names, NOW, NOW + DAY, &sample->leaf, NULL), 0);
}

static void sample_release(struct sample *sample)
{
	keypair_release(&sample->one);
	keypair_release(&sample->two);
	keypair_release(&sample->leaf);
}

static const char *pem(const struct keypair *pair)
{
	return buf_string(&pair->certificate);
}

/* Made with OpenSSL's command, as its `x509 -fingerprint -sha256` names it. */
static const char foreign[] = "-----BEGIN CERTIFICATE-----\n"
			      "MIIBMzCB2wIUb1hp30SbG1YTjET2253oHCaTelQwCgYIKoZIzj0EAwIwHDEMMAoG\n"
			      "A1UEAwwDb25lMQwwCgYDVQQDDAN0d28wIBcNMjYxMTMwMDk0MTIzWhgPMjEyNjEx\n"
			      "MDYwOTQxMjNaMBwxDDAKBgNVBAMMA29uZTEMMAoGA1UEAwwDdHdvMFkwEwYHKoZI\n"
			      "zj0CAQYIKoZIzj0DAQcDQgAEG1AbBeHNGcbFwLKJAjMZe15bHGhF7bmtntTTjhvm\n"
			      "eOkDi01e7mlSSPwk6Wp+PJZDYRY9tAiNF84+tcLvZjkkczAKBggqhkjOPQQDAgNH\n"
			      "ADBEAiAzxvBcDYvbsFeeqAwpy+FC3xsE1LTf0ZiWFLuKvUHa2wIgCW4aHxrGnfNr\n"
			      "ur0PvbAr9tzJazFWKJJaabQEbp7xRSw=\n"
			      "-----END CERTIFICATE-----\n";

static void a_certificate_says_what_it_is(void)
{
	CLEANUP(sample_release) struct sample sample;
	struct inspection one;
	struct inspection leaf;

	sample_init(&sample);
	CU_ASSERT_EQUAL(inspect_certificate(&sample.one.certificate, &one, NULL), 0);
	CHECK_STRING(one.common_name, "first");
	CU_ASSERT(one.is_ca);
	CU_ASSERT_EQUAL(one.not_before, NOW - MINT_BACKDATE);
	CU_ASSERT_EQUAL(one.not_after, NOW + 2 * DAY);
	CU_ASSERT_EQUAL(strlen(one.id), 64);
	CU_ASSERT_EQUAL(inspect_certificate(&sample.leaf.certificate, &leaf, NULL), 0);
	CHECK_STRING(leaf.common_name, "hook.ml.svc");
	CU_ASSERT(!leaf.is_ca);
	CU_ASSERT(strcmp(one.id, leaf.id) != 0);
}

static void a_certificate_of_a_stranger(void)
{
	CLEANUP(buf_release) struct buf text;
	struct inspection found;
	struct error err = {0};

	buf_init(&text, TEXT_MAX);
	CU_ASSERT_EQUAL(inspect_certificate(&text, &found, &err), -1);
	CU_ASSERT_EQUAL(err.code, ERROR_INVALID);
	buf_add_string(&text, foreign);
	CU_ASSERT_EQUAL(inspect_certificate(&text, &found, NULL), 0);
	CHECK_STRING(found.id, "8f5f7bdb81115cfdcd4d4e53fc8a9edd2bd4e45660e03e04891c838004ad71b1");
	CHECK_STRING(found.common_name, ""); /* it has two */
	CU_ASSERT(!found.is_ca);             /* an old one, of version 1 */
}

/* All that is found in the text, one after the other. */
static unsigned count_certificates(const char *text, struct buf *found)
{
	struct inspection inspection;
	unsigned count = 0;

	while (inspect_next(&text, &inspection, found, NULL) > 0)
		count++;
	return count;
}

static void a_walk_skips_what_is_not_a_certificate(void)
{
	CLEANUP(sample_release) struct sample sample;
	CLEANUP(buf_release) struct buf text;
	CLEANUP(buf_release) struct buf found;
	CLEANUP(buf_release) struct buf expected;

	sample_init(&sample);
	buf_init(&text, TEXT_MAX);
	buf_init(&found, TEXT_MAX);
	buf_init(&expected, TEXT_MAX);
	buf_addf(&text, "a comment\n%s\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
		 pem(&sample.one));
	buf_addf(&text, "-----BEGIN CERTIFICATE-----\nno end\n%s%s", buf_string(&sample.two.key), pem(&sample.two));
	buf_addf(&text, "-----END CERTIFICATE-----\n-----BEGIN CERTIFICATE-----\n");
	CU_ASSERT_EQUAL(count_certificates(buf_string(&text), &found), 2);
	buf_addf(&expected, "%s%s", pem(&sample.one), pem(&sample.two));
	CHECK_STRING(buf_string(&found), buf_string(&expected));
	CU_ASSERT_EQUAL(count_certificates("", &found), 0);
}

static void equal_certificates_are_equal_texts(void)
{
	CLEANUP(sample_release) struct sample sample;
	CLEANUP(buf_release) struct buf text;
	CLEANUP(buf_release) struct buf found;

	sample_init(&sample);
	buf_init(&text, TEXT_MAX);
	buf_init(&found, TEXT_MAX);
	for (const char *c = pem(&sample.one); *c; c++)
		buf_addf(&text, *c == '\n' ? "\r\n" : "%c", *c);
	CU_ASSERT_EQUAL(count_certificates(buf_string(&text), &found), 1);
	CHECK_STRING(buf_string(&found), pem(&sample.one));
}

static void check_refused(const char *text, size_t max, const char *reason)
{
	CLEANUP(buf_release) struct buf found;
	struct inspection inspections[2];
	struct error err = {0};
	size_t count;

	buf_init(&found, TEXT_MAX);
	CU_ASSERT_EQUAL(inspect_bundle(text, max, inspections, &count, &found, &err), -1);
	CU_ASSERT_EQUAL(err.code, ERROR_INVALID);
	CHECK_ROW(strstr(err.message, reason) != NULL, err.message);
}

static void a_bundle_holds_nothing_but_certificates(void)
{
	CLEANUP(sample_release) struct sample sample;
	CLEANUP(buf_release) struct buf text;
	CLEANUP(buf_release) struct buf found;
	struct inspection inspections[2];
	size_t count = 0;

	sample_init(&sample);
	buf_init(&text, TEXT_MAX);
	buf_init(&found, TEXT_MAX);
	buf_addf(&text, "\n%s \r\n\t%s", pem(&sample.one), pem(&sample.two));
	CU_ASSERT_EQUAL(inspect_bundle(buf_string(&text), 2, inspections, &count, &found, NULL), 0);
	CU_ASSERT_EQUAL(count, 2);
	CHECK_STRING(inspections[1].common_name, "second");
	check_refused(buf_string(&text), 1, "more than 1 certificate");
	check_refused("", 2, "no certificate");
	check_refused(" \n", 2, "no certificate");
	check_refused(buf_string(&sample.one.key), 2, "something other");
	check_refused("-----BEGIN CERTIFICATE-----\n", 2, "something other");
	check_refused("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", 2, "no certificate in PEM");
	buf_add_string(&text, "x");
	check_refused(buf_string(&text), 2, "something other");
}

int add_inspect_suite(void)
{
	static const struct unit_test tests[] = {
		{"a certificate says what it is", a_certificate_says_what_it_is},
		{"a certificate of a stranger", a_certificate_of_a_stranger},
		{"a walk skips what is not a certificate", a_walk_skips_what_is_not_a_certificate},
		{"equal certificates are equal texts", equal_certificates_are_equal_texts},
		{"a bundle holds nothing but certificates", a_bundle_holds_nothing_but_certificates},
		{NULL, NULL},
	};

	return add_suite("inspect", tests);
}
