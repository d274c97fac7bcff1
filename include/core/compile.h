/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_COMPILE_H
#define CORE_COMPILE_H

#include "core/annotations.h"
#include "core/config.h"
#include "core/stamp.h"
#include "core/verdict.h"
#include "core/workload.h"

/*
 * From a workload that opted in to its stamp: checks everything that it says, resolves its group, and keeps the stamp
 * that it had where that says the same.
 */

struct compilation {
	/* the caller's; borrowed */
	const char *name, *namespace; /* of the workload, "" where it has none */
	const struct review_config *config;
	struct workload workload;
	struct workload old; /* whose stamp is kept where it says the same; empty: there is none */
	struct annotations annotations;

	/* what comes of it */
	unsigned size;         /* pods */
	unsigned first;        /* ordinal */
	struct stamp stamp;    /* set where size > 0: without pods there is no group */
	const char *kept_text; /* the old stamp, where it stays; `stamp` is then what it says */
};

/* Returns -1 where it denied. */
MUST_CHECK int compile(struct compilation *compilation, struct verdict *verdict);

/* The parts that are checked of a workload that did not opt in: the written group, and its selector. -1: denied. */
MUST_CHECK int compile_written_group(struct compilation *compilation, struct verdict *verdict);
MUST_CHECK int compile_check_selector(const struct workload *workload, struct verdict *verdict);

#endif
