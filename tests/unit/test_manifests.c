/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "render/manifests.h"
#include "suites.h"
#include "unit.h"

static void describe(const struct manifest_list *list, char found[512])
{
	for (size_t i = 0; i < list->len; i++)
		snprintf(found + strlen(found), 512 - strlen(found), "%s:%u ", list->items[i].title,
			 list->items[i].line);
}

/* The titles and lines of the sets, then of the Services, or the error; and the notes. */
static void check(const char *text, const char *expected, const char *expected_notes)
{
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);
	struct error err = {ERROR_NONE, ""};
	struct notes notes;
	struct manifests manifests = {.arena = arena, .notes = &notes, .namespace = "dev"};
	char found[512] = "";

	notes_init(&notes);
	if (manifests_read_text(&manifests, "a.yaml", text, strlen(text), &err) < 0) {
		CHECK_STRING(err.message, expected);
	} else {
		describe(&manifests.sets, found);
		strcat(found, "| ");
		describe(&manifests.services, found);
		CHECK_STRING(found, expected);
	}
	CHECK_STRING(buf_string(&notes.text), expected_notes);
	notes_release(&notes);
	unit_arena_end(&unit);
}

#define SET(name)     "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: " name "}}"
#define SERVICE(name) "{apiVersion: v1, kind: Service, metadata: {name: " name ", namespace: ml}}"

static void objects_are_found(void)
{
	check(SET("a") "\n---\n" SERVICE("b") "\n---\n" SET("c"), "dev/a:1 dev/c:5 | ml/b:3 ", "");
	check("{apiVersion: v1, kind: List, items: [" SET("a") ", " SERVICE("b") "]}", "dev/a:1 | ml/b:1 ", "");
	check("{apiVersion: apps/v1, kind: StatefulSetList, items: [{metadata: {name: a}}]}", "dev/a:1 | ", "");
	check("{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: List, items: [" SET("a") "]}]}",
	      "dev/a:1 | ", "");
	check("{apiVersion: apps/v1, kind: StatefulSet, metadata: {generateName: a-}}", "dev/:1 | ", "");
	check("{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: \"a\\e[31m\"}}", "dev/a?[31m:1 | ", "");
}

static void other_objects_are_skipped(void)
{
	check("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, items: [" SET("b") "]}", "| ", "");
	check("{apiVersion: apps.example.com/v1, kind: StatefulSet, metadata: {name: a}}", "| ", "");
	check("{apiVersion: serving.example.com/v1, kind: Service, metadata: {name: a}}", "| ", "");
	check("replicas: 1", "| ", "note: a.yaml:1: skipped: it has no kind or no apiVersion\n");
	check("---\n- a\n", "| ", "note: a.yaml:2: skipped: it has no kind or no apiVersion\n");
	check("{apiVersion: kustomize.config.k8s.io/v1beta1, kind: Kustomization}", "| ",
	      "note: a.yaml: not built: pipe kubectl kustomize into tfconfig-webhook render -f -\n");
	check(SET("a") "\n---\nb: [", "a.yaml:3:1: the document ends too early: a quote or bracket may be open", "");
}

static void the_last_of_a_name_is_found(void)
{
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);
	struct notes notes;
	struct manifests manifests = {.arena = arena, .notes = &notes, .namespace = "dev"};
	static const char text[] = SERVICE("a") "\n---\n" SERVICE("a") "\n---\n" SERVICE("b");

	notes_init(&notes);
	CU_ASSERT(manifests_read_text(&manifests, "a.yaml", text, strlen(text), NULL) == 0);
	CU_ASSERT(manifests_find(&manifests.services, "ml", "a") == &manifests.services.items[1]);
	CU_ASSERT(manifests_find(&manifests.services, "dev", "a") == NULL);
	CU_ASSERT(manifests_find(&manifests.services, "ml", "c") == NULL);
	notes_release(&notes);
	unit_arena_end(&unit);
}

int add_manifests_suite(void)
{
	static const struct unit_test tests[] = {
		{"objects are found, in lists too", objects_are_found},
		{"other objects are skipped", other_objects_are_skipped},
		{"the last of a name is found", the_last_of_a_name_is_found},
		{NULL, NULL},
	};

	return add_suite("manifests", tests);
}
