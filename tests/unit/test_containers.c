/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/json.h"
#include "core/containers.h"
#include "suites.h"
#include "unit.h"

static const char pod_spec[] =
	"{\"initContainers\":[{\"name\":\"init\"},null,{\"name\":\"sidecar\",\"ports\":[{\"name\":\"p\","
	"\"containerPort\":1}]}],\"containers\":[{\"name\":\"main\",\"ports\":[{\"name\":\"p\",\"containerPort\":2},"
	"{\"name\":\"q\",\"containerPort\":3},{\"name\":\"u\",\"containerPort\":4,\"protocol\":\"UDP\"}]},7,{},"
	"{\"name\":\"log\",\"ports\":[{\"name\":\"q\",\"containerPort\":3},{\"name\":\"p\",\"containerPort\":5},"
	"{\"name\":\"z\",\"containerPort\":0}]}]}";

/* The paths of the containers that a walk finds, in one text. */
static const char *walked(const struct verdict *verdict, const struct container_list *list)
{
	struct container_walk walk;
	const cJSON *spec = json_parse(verdict->arena, pod_spec, strlen(pod_spec), NULL);
	const char *all = "";

	if (list)
		container_walk_targets(&walk, spec, list);
	else
		container_walk_all(&walk, spec);
	while (container_walk_next(&walk))
		all = arena_printf(verdict->arena, "%s %s=%s", all, container_walk_path(&walk, verdict, ""),
				   container_name(walk.container));
	return all;
}

static void a_walk_finds_what_it_is_for(void)
{
	const char *names[] = {"sidecar", "log", "missing"};
	const struct container_list none = {.names = NULL}, some = {.names = names, .len = ARRAY_LEN(names)};
	struct unit_arena unit;
	const struct verdict verdict = {.arena = unit_arena_begin(&unit)};

	CHECK_STRING(walked(&verdict, NULL), " /initContainers/0=init /initContainers/2=sidecar /containers/0=main "
					     "/containers/2= /containers/3=log");
	CHECK_STRING(walked(&verdict, &none), " /containers/0=main /containers/2= /containers/3=log");
	CHECK_STRING(walked(&verdict, &some), " /initContainers/2=sidecar /containers/3=log");
	unit_arena_end(&unit);
}

static void a_port_is_found_by_its_name(void)
{
	struct unit_arena unit;
	const cJSON *spec = json_parse(unit_arena_begin(&unit), pod_spec, strlen(pod_spec), NULL);
	unsigned ports[2] = {0, 0};

	CU_ASSERT(containers_find_port(spec, "q", ports) == 1 && ports[0] == 3);
	CU_ASSERT(containers_find_port(spec, "p", ports) == 2 && ports[0] == 1 && ports[1] == 2);
	CU_ASSERT(containers_find_port(spec, "u", ports) == 0);
	CU_ASSERT(containers_find_port(spec, "z", ports) == 0);
	CU_ASSERT(containers_find_port(NULL, "q", ports) == 0);
	unit_arena_end(&unit);
}

int add_containers_suite(void)
{
	static const struct unit_test tests[] = {
		{"a walk finds what it is for", a_walk_finds_what_it_is_for},
		{"a port is found by its name", a_port_is_found_by_its_name},
		{0},
	};

	return add_suite("containers", tests);
}
