#ifndef CORE_SET_H
#define CORE_SET_H

#include <stdbool.h>

#include <cjson/cJSON.h>

/*
 * A StatefulSet taken apart, and what of it makes a group. Everything is borrowed from the object's tree; what is
 * absent or of another type is NULL.
 */

struct set {
	const cJSON *metadata;
	const cJSON *spec;
	const cJSON *template;
	const cJSON *pod_spec; /* of the template, as are the rest */
	const cJSON *labels;
	const cJSON *annotations;
	const char *label; /* the stamps */
	const char *stamp;
};

/* `object` may be NULL: there is nothing in it then. */
struct set set_of(const cJSON *object);

/* Numbers of the spec, with their defaults. False where one is no whole number from 0 to INT_MAX. */
bool set_replicas(const struct set *set, unsigned *ret_replicas);
bool set_start(const struct set *set, unsigned *ret_start); /* spec.ordinals.start */

/* True where an annotation has this value on the set, or on its pod template; annotations_read denies two that differ. */
bool set_says(const struct set *set, const char *key, const char *value);

/* True where each pod waits until those before it are ready: spec.podManagementPolicy, which is so by default. */
bool set_is_ordered(const struct set *set);

/* True where a change of the template reaches every pod by itself: spec.updateStrategy, by default. */
bool set_rolls(const struct set *set);

/* True where both templates are equal but for our stamps. */
bool set_template_equal(const struct set *a, const struct set *b);

/* True where nothing differs that a group is made of: template, replicas, ordinals, serviceName, our annotations. */
bool set_group_untouched(const struct set *set, const struct set *old);

/* The first label of ours that the selector holds, or NULL. */
const char *set_selected_label(const struct set *set);

#endif
