/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_WORKLOAD_H
#define CORE_WORKLOAD_H

#include <stdbool.h>

#include <cjson/cJSON.h>

#include "core/request.h"
#include "core/verdict.h"

/*
 * A workload is an object whose pods may form a group: a StatefulSet, say. What differs between the kinds of workloads
 * is in one module for each, behind a struct workload_kind; all other modules ask through it and name no kind.
 */

struct workload_kind;

/* A workload taken apart. Everything is borrowed from the object's tree; what is absent or of another type is NULL. */
struct workload {
	const struct workload_kind *kind;
	const cJSON *metadata;
	const cJSON *spec;
	const cJSON *template;
	const cJSON *pod_spec; /* of the template, as are the rest */
	const cJSON *labels;
	const cJSON *annotations;
	const char *label; /* the stamps */
	const char *stamp;
};

struct workload_kind {
	const char *name;          /* as objects have it, and messages: "StatefulSet" */
	const char *group;         /* of its API, without the version: "apps" */
	const char *resource;      /* "statefulsets" */
	const char *size_field;    /* where the number of pods stands: "spec.replicas" */
	const char *service_field; /* where the headless Service is named */

	/*
	 * Reads the number of pods and the first one's ordinal, with their defaults. Returns -1 where it denied: one is
	 * not a whole number, or the highest ordinal would pass INT_MAX.
	 */
	int (*read_size)(const struct workload *workload, struct verdict *verdict, unsigned *ret_size,
			 unsigned *ret_first);

	/* The name of the headless Service, NULL where there is none. */
	const char *(*service)(const struct workload *workload);

	/* True where nothing but the template and the annotations differs of what a group is made of. */
	bool (*is_same_shape)(const struct workload *a, const struct workload *b);

	/* True where each pod waits until those before it are ready. */
	bool (*is_ordered)(const struct workload *workload);

	/* True where a change of the template reaches every pod by itself. */
	bool (*rolls)(const struct workload *workload);

	/* Warns of names that are too long for it or for its pods. */
	void (*advise_on_names)(const char *name, unsigned size, unsigned first, struct verdict *verdict);

	/* Warns of how its pods start, and get a new template. */
	void (*advise_on_rollout)(const struct workload *workload, struct verdict *verdict);

	/* The ordinal of a pod, by all that its controller has written. `owner` is the workload's name. -1: denied. */
	int (*read_ordinal)(const struct request *pod, const char *owner, struct verdict *verdict,
			    unsigned *ret_ordinal);
};

/* `object` may be NULL: there is nothing in it then. */
struct workload workload_of(const struct workload_kind *kind, const cJSON *object);

/*
 * True where an annotation has this value on the workload or on its pod template; annotations_read denies two values.
 */
bool workload_says(const struct workload *workload, const char *key, const char *value);

/* True where its template can carry our stamps: the template's metadata is an object, or can be made one. */
bool workload_takes_stamps(const struct workload *workload);

/* True where both templates are equal but for our stamps. */
bool workload_template_equal(const struct workload *a, const struct workload *b);

/* True where nothing differs that a group is made of: template, size, Service, our annotations. */
bool workload_group_untouched(const struct workload *workload, const struct workload *old);

/* The first label of ours that the selector holds, or NULL. */
const char *workload_selected_label(const struct workload *workload);

#endif
