#include "core/containers.h"

#include <string.h>

#include "core/json.h"
#include "core/messages.h"
#include "core/text.h"

static const char *const arrays[] = {"initContainers", "containers"};

enum { NAMES_SHOWN = 300 }; /* bytes of the names that a message lists */

const char *container_name(const cJSON *container)
{
	const char *name = json_get_string(container, "name");

	return name ? name : "";
}

static bool list_wants(const struct container_list *list, const char *name, bool init)
{
	if (!list->names)
		return !init;
	for (size_t i = 0; i < list->len; i++) {
		if (strcmp(list->names[i], name) == 0)
			return true;
	}
	return false;
}

void container_walk_begin(struct container_walk *walk, const cJSON *spec, const struct container_list *list)
{
	*walk = (struct container_walk){.spec = spec, .list = list, .init = true, .position = -1};
}

bool container_walk_next(struct container_walk *walk)
{
	for (;;) {
		const cJSON *array = json_get_array(walk->spec, walk->init ? "initContainers" : "containers");

		walk->container = walk->container ? walk->container->next : array ? array->child : NULL;
		walk->position++;
		if (walk->container) {
			if (list_wants(walk->list, container_name(walk->container), walk->init))
				return true;
			continue;
		}
		if (!walk->init)
			return false;
		walk->init = false;
		walk->position = -1;
	}
}

const char *container_walk_path(const struct container_walk *walk, const struct verdict *verdict, const char *spec_path)
{
	return arena_printf(verdict->arena, "%s/%s/%d", spec_path, walk->init ? "initContainers" : "containers",
			    walk->position);
}

static bool spec_has(const cJSON *spec, const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(arrays); i++) {
		const cJSON *container;

		cJSON_ArrayForEach (container, json_get_array(spec, arrays[i])) {
			if (strcmp(container_name(container), name) == 0)
				return true;
		}
	}
	return false;
}

/* The names of all containers, init containers first, as a comma list. */
static void list_names(const cJSON *spec, char names[NAMES_SHOWN])
{
	size_t len = 0;

	names[0] = '\0';
	for (size_t i = 0; i < ARRAY_LEN(arrays); i++) {
		const cJSON *container;

		cJSON_ArrayForEach (container, json_get_array(spec, arrays[i])) {
			const char *name = container_name(container);
			size_t size = text_clip(name, strlen(name), 63);

			if (len + 2 + size + sizeof(", ...") > NAMES_SHOWN) {
				memcpy(names + len, ", ...", sizeof(", ..."));
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
}

int containers_check(const cJSON *spec, const struct container_list *list, struct verdict *verdict, const char *field,
		     const char *found)
{
	char names[NAMES_SHOWN];

	for (size_t i = 0; i < list->len; i++) {
		const char *name = list->names[i];

		if (spec_has(spec, name))
			continue;
		list_names(spec, names);
		return verdict_deny(verdict, field, found ? found : verdict_quote(verdict, name),
				    DENY_CONTAINER_UNKNOWN, verdict_quote(verdict, name), names);
	}
	return 0;
}

const cJSON *container_env(const cJSON *container, const char *name)
{
	const cJSON *last = NULL;
	const cJSON *entry;

	cJSON_ArrayForEach (entry, json_get_array(container, "env")) {
		const char *entry_name = json_get_string(entry, "name");

		if (entry_name && strcmp(entry_name, name) == 0)
			last = entry;
	}
	return last;
}

static bool is_tcp_port_named(const cJSON *port, const char *name)
{
	const char *port_name = json_get_string(port, "name");
	const char *protocol = json_get_string(port, "protocol");

	return port_name && strcmp(port_name, name) == 0 && (!protocol || strcmp(protocol, "TCP") == 0);
}

unsigned containers_find_port(const cJSON *spec, const char *name, unsigned ret_ports[2])
{
	unsigned found = 0;

	for (size_t i = 0; i < ARRAY_LEN(arrays); i++) {
		const cJSON *container;
		const cJSON *port;

		cJSON_ArrayForEach (container, json_get_array(spec, arrays[i])) {
			cJSON_ArrayForEach (port, json_get_array(container, "ports")) {
				unsigned number;

				if (found == 2 || !is_tcp_port_named(port, name) ||
				    !json_get_unsigned(port, "containerPort", 0, PORT_MAX, &number) || number == 0)
					continue;
				if (found == 0 || ret_ports[0] != number)
					ret_ports[found++] = number;
			}
		}
	}
	return found;
}
