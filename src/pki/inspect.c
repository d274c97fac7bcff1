/* SPDX-License-Identifier: Apache-2.0 */
#include "pki/inspect.h"

#include <stdio.h>
#include <string.h>

#include <openssl/x509v3.h>

#include "pki/openssl.h"

static const char begin_line[] = "-----BEGIN CERTIFICATE-----";
static const char end_line[] = "-----END CERTIFICATE-----";

static void free_text(unsigned char **text)
{
	OPENSSL_free(*text);
}

static int read_id(const X509 *x509, struct inspection *ret_inspection, struct error *err)
{
	unsigned char hash[EVP_MAX_MD_SIZE];
	unsigned int len = 0;

	if (!X509_digest(x509, EVP_sha256(), hash, &len) || len > sizeof(ret_inspection->id) / 2)
		return openssl_failed("can't hash a certificate", err);
	for (unsigned int i = 0; i < len; i++)
		snprintf(ret_inspection->id + (size_t)(2 * i), 3, "%02x", hash[i]);
	return 0;
}

static void read_common_name(const X509 *x509, struct inspection *ret_inspection)
{
	const X509_NAME *subject = X509_get_subject_name(x509);
	const int position = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
	CLEANUP(free_text) unsigned char *text = NULL;
	int len;

	if (position < 0 || X509_NAME_get_index_by_NID(subject, NID_commonName, position) >= 0)
		return;
	len = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, position)));
	if (len > 0 && len <= INSPECT_NAME_MAX && !memchr(text, '\0', (size_t)len))
		memcpy(ret_inspection->common_name, text, (size_t)len);
}

static int inspect(X509 *x509, struct inspection *ret_inspection, struct error *err)
{
	struct inspection found = {0};

	if (read_id(x509, &found, err) < 0 || openssl_read_dates(x509, &found.not_before, &found.not_after, err) < 0)
		return -1;
	found.is_ca = X509_check_ca(x509) == 1;
	read_common_name(x509, &found);
	*ret_inspection = found;
	return 0;
}

int inspect_certificate(const struct buf *pem, struct inspection *ret_inspection, struct error *err)
{
	CLEANUP(free_x509) X509 *x509 = openssl_read_certificate(pem, err);

	return x509 ? inspect(x509, ret_inspection, err) : -1;
}

/* Where the block that starts here ends; NULL if another one starts before its end. */
static const char *end_of_block(const char *block)
{
	const char *other = strstr(block + strlen(begin_line), begin_line);
	const size_t len = other ? (size_t)(other - block) : strlen(block);
	const char *end = memmem(block, len, end_line, strlen(end_line));

	return end ? end + strlen(end_line) : NULL;
}

static int read_block(const char *block, const char *end, struct inspection *ret_inspection, struct buf *pem,
		      struct error *err)
{
	CLEANUP(free_x509) X509 *x509 = openssl_parse_certificate(block, (size_t)(end - block), err);

	if (!x509 || inspect(x509, ret_inspection, err) < 0)
		return -1;
	return pem ? openssl_write_certificate(x509, pem, err) : 0;
}

int inspect_next(const char **text, struct inspection *ret_inspection, struct buf *pem, struct error *err)
{
	const char *block;
	struct error found;

	while ((block = strstr(*text, begin_line))) {
		const char *end = end_of_block(block);

		*text = end ? end : block + strlen(begin_line);
		if (!end)
			continue;
		if (read_block(block, end, ret_inspection, pem, &found) == 0)
			return 1;
		if (found.code == ERROR_NO_MEMORY)
			return error_set(err, ERROR_NO_MEMORY, "%s", found.message);
	}
	return 0;
}

int inspect_bundle(const char *text, size_t max, struct inspection *ret_inspections, size_t *ret_count,
		   struct buf *ret_pem, struct error *err)
{
	size_t count = 0;

	for (text += strspn(text, " \t\r\n"); *text; text += strspn(text, " \t\r\n")) {
		const char *end = strncmp(text, begin_line, strlen(begin_line)) == 0 ? end_of_block(text) : NULL;

		if (!end)
			return error_set(err, ERROR_INVALID, "it holds something other than certificates in PEM");
		if (count == max)
			return error_set(err, ERROR_INVALID, "it holds more than %zu certificate%s", max,
					 max == 1 ? "" : "s");
		if (read_block(text, end, &ret_inspections[count], ret_pem, err) < 0)
			return -1;
		text = end;
		count++;
	}
	if (count == 0)
		return error_set(err, ERROR_INVALID, "it holds no certificate");
	*ret_count = count;
	return 0;
}
