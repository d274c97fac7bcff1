/* SPDX-License-Identifier: Apache-2.0 */
#include "core/containers.h"

#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "core/messages.h"

static const char *const array_names[2] = {"initContainers", "containers"};

enum { NAMES_SHOWN = 300 }; /* bytes of the names that a message lists */

const char *container_name(const cJSON *container)
{
	const char *name = json_get_string(container, "name");

	return name ? name : "";
}

void container_walk_all(struct container_walk *walk, const cJSON *spec)
{
	*walk = (struct container_walk){
		.arrays = {json_get_array(spec, array_names[0]), json_get_array(spec, array_names[1])},
		.init = true,
		.position = -1,
		.every = true,
	};
}

void container_walk_targets(struct container_walk *walk, const cJSON *spec, const struct container_list *list)
{
	container_walk_all(walk, spec);
	walk->list = list;
	walk->every = false;
}

static bool walk_wants(const struct container_walk *walk)
{
	if (!cJSON_IsObject(walk->container))
		return false;
	if (walk->every)
		return true;
	if (!walk->list->names)
		return !walk->init;
	for (size_t i = 0; i < walk->list->len; i++) {
		if (strcmp(walk->list->names[i], container_name(walk->container)) == 0)
			return true;
	}
	return false;
}

bool container_walk_next(struct container_walk *walk)
{
	for (;;) {
		const cJSON *array = walk->arrays[walk->init ? 0 : 1];

		walk->container = walk->container ? walk->container->next : array ? array->child : NULL;
		walk->position++;
		if (walk->container && walk_wants(walk))
			return true;
		if (walk->container)
			continue;
		if (!walk->init)
			return false;
		walk->init = false;
		walk->position = -1;
	}
}

const char *container_walk_path(const struct container_walk *walk, const struct verdict *verdict, const char *spec_path)
{
	return arena_printf(verdict->arena, "%s/%s/%d", spec_path, array_names[walk->init ? 0 : 1], walk->position);
}

const cJSON *containers_find(const cJSON *spec, const char *name)
{
	struct container_walk walk;

	container_walk_all(&walk, spec);
	while (container_walk_next(&walk)) {
		if (strcmp(container_name(walk.container), name) == 0)
			return walk.container;
	}
	return NULL;
}

/* The names of all containers, init containers first, as a comma list that may be cut. */
static void list_names(const cJSON *spec, char names[NAMES_SHOWN])
{
	static const char cut[] = ", ...";
	struct container_walk walk;
	size_t len = 0;

	memcpy(names, "none", sizeof("none"));
	container_walk_all(&walk, spec);
	while (container_walk_next(&walk)) {
		const char *name = container_name(walk.container);
		size_t size = text_clip(name, strlen(name), 63);

		if (size == 0)
			continue;
		if (len + strlen(", ") + size + sizeof(cut) > NAMES_SHOWN) {
			memcpy(names + len, cut, sizeof(cut));
			return;
		}
		if (len) {
			memcpy(names + len, ", ", 2);
			len += 2;
		}
		memcpy(names + len, name, size);
		len += size;
		names[len] = '\0';
	}
}

int containers_check(const cJSON *spec, const struct container_list *list, struct verdict *verdict, const char *field,
		     const char *found)
{
	char names[NAMES_SHOWN];

	for (size_t i = 0; i < list->len; i++) {
		const char *name = list->names[i];

		if (containers_find(spec, name))
			continue;
		list_names(spec, names);
		return verdict_deny(verdict, field, found ? found : verdict_quote(verdict, name),
				    DENY_CONTAINER_UNKNOWN, verdict_quote(verdict, name), names);
	}
	return 0;
}

static bool is_tcp_port_named(const cJSON *port, const char *name)
{
	const char *port_name = json_get_string(port, "name");
	const char *protocol = json_get_string(port, "protocol");

	return port_name && strcmp(port_name, name) == 0 && (!protocol || strcmp(protocol, "TCP") == 0);
}

unsigned containers_find_port(const cJSON *spec, const char *name, unsigned ret_ports[2])
{
	struct container_walk walk;
	unsigned found = 0;

	container_walk_all(&walk, spec);
	while (container_walk_next(&walk)) {
		const cJSON *port;

		cJSON_ArrayForEach (port, json_get_array(walk.container, "ports")) {
			unsigned number;

			if (found == 2 || !is_tcp_port_named(port, name) ||
			    !json_get_unsigned(port, "containerPort", 0, PORT_MAX, &number) || number == 0)
				continue;
			if (found == 0 || ret_ports[0] != number)
				ret_ports[found++] = number;
		}
	}
	return found;
}
