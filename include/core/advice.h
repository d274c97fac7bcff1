#ifndef CORE_ADVICE_H
#define CORE_ADVICE_H

#include "core/annotations.h"
#include "core/set.h"
#include "core/stamp.h"
#include "core/verdict.h"

/*
 * Advice on a StatefulSet that opted in: what is allowed and yet known to keep training from working. Given as
 * warnings, which kubectl prints; on a pod nobody would see them.
 */

struct advice_subject {
	const char *name;
	const char *namespace;
	const struct set *set;
	unsigned replicas;
	unsigned start; /* spec.ordinals.start */
	const struct annotations *annotations;
	const struct stamp *stamp; /* NULL with no replicas */
};

void advice_give(const struct advice_subject *subject, struct verdict *verdict);

#endif
