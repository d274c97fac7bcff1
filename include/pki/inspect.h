/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PKI_INSPECT_H
#define PKI_INSPECT_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "base/buf.h"
#include "base/compiler.h"
#include "base/error.h"

/*
 * What certificates say, and which of them a PEM text holds. Nothing is verified, except that they are well-formed.
 * Thread-safe.
 */

enum { INSPECT_NAME_MAX = 64 }; /* bytes of a common name: RFC 5280, ub-common-name */

struct inspection {
	char id[65]; /* the hex SHA-256 of its DER form */
	time_t not_before, not_after;
	bool is_ca; /* its basic constraints and key usage allow it to sign certificates */
	char common_name[INSPECT_NAME_MAX +
			 1]; /* the subject's, UTF-8; "" if there is none, are several, or it is longer */
};

/* The first certificate of a PEM text. ERROR_INVALID if there is none. */
MUST_CHECK int inspect_certificate(const struct buf *pem, struct inspection *ret_inspection, struct error *err);

/*
 * The next certificate of a text; *text is moved past it, and anything that is not a certificate is skipped. Adds it to
 * `pem` (NULL: nowhere) as OpenSSL writes it, so that equal certificates are equal texts. Returns 1, 0 if there is none
 * left, or -1 if there is no memory.
 */
MUST_CHECK int inspect_next(const char **text, struct inspection *ret_inspection, struct buf *pem, struct error *err);

/*
 * All certificates of a text that must consist of 1 to `max` of them and blanks. Adds them to ret_pem as inspect_next
 * does. ERROR_INVALID says what else there is; *ret_pem may hold some of them then.
 */
MUST_CHECK int inspect_bundle(const char *text, size_t max, struct inspection *ret_inspections, size_t *ret_count,
			      struct buf *ret_pem, struct error *err);

#endif
