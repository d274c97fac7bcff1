/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PKI_KEYPAIR_H
#define PKI_KEYPAIR_H

#include <time.h>

#include "base/buf.h"
#include "base/compiler.h"
#include "base/error.h"

/*
 * A certificate and its private key, both as PEM: what is passed between the code that mints, stores,
 * checks and serves them.
 *
 * The key is secret: it stays in this struct, and is overwritten before its memory is freed. Not thread-safe; different
 * keypairs are independent.
 */

enum {
	KEYPAIR_CERTIFICATE_MAX = 64 * 1024, /* bytes of PEM: room for a chain */
	KEYPAIR_KEY_MAX = 16 * 1024,
};

struct keypair {
	struct buf certificate; /* one certificate, or a chain with the leaf first */
	struct buf key;         /* PKCS #8, not encrypted */
};

struct keypair_dates {
	time_t not_before; /* the first second it is valid, UTC */
	time_t not_after;  /* the last */
};

void keypair_init(struct keypair *pair);

/* Overwrites the key, frees both buffers and leaves an empty pair. Accepts a zeroed struct. */
void keypair_release(struct keypair *pair);

/* Moves `from` into `to`, whose previous content is released; `from` is left empty. */
void keypair_move(struct keypair *to, struct keypair *from);

/* 0 if the key belongs to the (first) certificate, else -1 with ERROR_INVALID: unreadable, or not a pair. */
MUST_CHECK int keypair_check(const struct keypair *pair, struct error *err);

/* The dates of the first certificate in a PEM text. Returns -1 with ERROR_INVALID if there is none. */
MUST_CHECK int keypair_read_dates(const struct buf *certificate, struct keypair_dates *ret_dates, struct error *err);

#endif
