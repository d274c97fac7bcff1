/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_CONTAINERS_H
#define CORE_CONTAINERS_H

#include <stdbool.h>

#include <cjson/cJSON.h>

#include "core/annotations.h"
#include "core/verdict.h"

/*
 * The containers of a pod spec, in a pod or a pod template: which of them get the variable, what their env holds, and
 * the number of a named port. Containers are found by name, never by position. The object was not validated yet, so
 * what stands in the place of a container and is not an object is skipped.
 */

/* A walk over containers: init containers first, each array in its order. */
struct container_walk {
	const cJSON *container; /* the one in hand */
	bool init;              /* it is one of initContainers */
	int position;           /* in its array */
	/* private */
	const cJSON *arrays[2]; /* initContainers, containers; NULL where there is none */
	const struct container_list *list;
	bool every;
};

/* Every container, init containers too. */
void container_walk_all(struct container_walk *walk, const cJSON *spec);

/* Those that get TF_CONFIG: the ones in the list, init containers too; without names in it all of `containers`. */
void container_walk_targets(struct container_walk *walk, const cJSON *spec, const struct container_list *list);

/* Goes on to the first or next; false at the end. */
bool container_walk_next(struct container_walk *walk);

/* The JSON pointer of the container in hand: "<spec_path>/initContainers/0". NULL where the arena is full. */
const char *container_walk_path(const struct container_walk *walk, const struct verdict *verdict,
				const char *spec_path);

/* The container's name, "" where it has none. */
const char *container_name(const cJSON *container);

/* Denies a list that names a container which the spec does not have. `found` may be NULL: it is then the name. */
MUST_CHECK int containers_check(const cJSON *spec, const struct container_list *list, struct verdict *verdict,
				const char *field, const char *found);

/* The container, init container or none of this name. */
const cJSON *containers_find(const cJSON *spec, const char *name);

/*
 * Looks a TCP containerPort up by its name in all containers and init containers. Returns how many different numbers
 * there are, two at the most, and stores them.
 */
unsigned containers_find_port(const cJSON *spec, const char *name, unsigned ret_ports[2]);

#endif
