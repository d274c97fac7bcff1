#ifndef CORE_CONTAINERS_H
#define CORE_CONTAINERS_H

#include <stdbool.h>

#include <cjson/cJSON.h>

#include "core/settings.h"
#include "core/verdict.h"

/*
 * The containers of a pod spec, in a pod or a pod template: which of them get the variable, what their env holds, and
 * the number behind a port's name. Containers are found by name, never by position.
 */

/* Walks the containers that get TF_CONFIG: those in the list, init containers too, or all of `containers` without one.
 */
struct container_walk {
	const cJSON *spec;
	const struct container_list *list;
	const cJSON *container; /* the one in hand */
	bool init;		/* it is one of initContainers */
	int position;		/* in its array */
};

void container_walk_begin(struct container_walk *walk, const cJSON *spec, const struct container_list *list);

/* Goes on to the next; false at the end. */
bool container_walk_next(struct container_walk *walk);

/* The JSON pointer of the container in hand below the spec: "initContainers/0". NULL where the arena is full. */
const char *container_walk_path(const struct container_walk *walk, const struct verdict *verdict,
				const char *spec_path);

/* The name of the container in hand, "" where it has none. */
const char *container_name(const cJSON *container);

/*
 * Denies a list that names a container which the spec does not have. `field` and `found` are for the message; where
 * `found` is NULL it is the name.
 */
MUST_CHECK int containers_check(const cJSON *spec, const struct container_list *list, struct verdict *verdict,
				const char *field, const char *found);

/* The last entry `name` of the container's env, which is the one that counts; NULL where there is none. */
const cJSON *container_env(const cJSON *container, const char *name);

/*
 * Looks a TCP containerPort up by its name in all containers and init containers. Returns how many different numbers
 * there are, of which the first two are stored.
 */
unsigned containers_find_port(const cJSON *spec, const char *name, unsigned ret_ports[2]);

#endif
