/* SPDX-License-Identifier: Apache-2.0 */
#include "core/annotations.h"

#include <string.h>

#include "base/json.h"
#include "base/names.h"
#include "base/text.h"
#include "core/messages.h"

/* One annotation under check: where it stands in messages, and the text that was written. */
struct annotation {
	struct verdict *verdict;
	const char *field;
	const char *value;
};

/* Denies with the annotation's own field and value. */
#define DENY(annotation, ...)                                    \
	verdict_deny((annotation)->verdict, (annotation)->field, \
		     verdict_quote((annotation)->verdict, (annotation)->value), __VA_ARGS__)

static const char *const address_forms[] = {[ADDRESS_FQDN] = "fqdn", [ADDRESS_SHORT] = "short"};

const char *address_form_name(enum address_form address)
{
	return address_forms[address];
}

bool address_form_parse(const char *text, enum address_form *ret_address)
{
	for (unsigned i = 0; i < ARRAY_LEN(address_forms); i++) {
		if (strcmp(address_forms[i], text) == 0) {
			*ret_address = (enum address_form)i;
			return true;
		}
	}
	return false;
}

static int read_boolean(const struct annotation *annotation, bool *ret_value)
{
	bool is_true = strcmp(annotation->value, "true") == 0;

	if (!is_true && strcmp(annotation->value, "false") != 0)
		return DENY(annotation, DENY_BOOLEAN);
	*ret_value = is_true;
	return 0;
}

static int read_inject(const struct annotation *annotation, struct annotations *annotations)
{
	bool value = false;

	if (read_boolean(annotation, &value) < 0)
		return -1;
	annotations->inject = value ? INJECT_TRUE : INJECT_FALSE;
	return 0;
}

static int read_cluster(const struct annotation *annotation, struct annotations *annotations)
{
	annotations->cluster = annotation->value;
	return 0;
}

/* An IANA service name, as containerPorts have it: RFC 6335, section 5.1, lower case. */
static bool is_port_name(const char *text)
{
	size_t len = strlen(text);
	bool letter = false;

	if (len == 0 || len > 15 || !name_is_dns_label(text) || strstr(text, "--"))
		return false;
	for (size_t i = 0; i < len; i++)
		letter = letter || (text[i] >= 'a' && text[i] <= 'z');
	return letter;
}

static int read_port(const struct annotation *annotation, struct annotations *annotations)
{
	if (name_parse_decimal(annotation->value, PORT_MAX, &annotations->port) && annotations->port > 0)
		return 0;
	if (!is_port_name(annotation->value))
		return DENY(annotation, DENY_PORT);
	annotations->port_name = annotation->value;
	return 0;
}

static bool list_has(const struct container_list *list, const char *name)
{
	for (size_t i = 0; i < list->len; i++) {
		if (strcmp(list->names[i], name) == 0)
			return true;
	}
	return false;
}

static int read_containers(const struct annotation *annotation, struct annotations *annotations)
{
	struct arena *arena = annotation->verdict->arena;
	struct container_list *list = &annotations->containers;
	const char *text = annotation->value;
	bool last;

	list->names = arena_calloc(arena, ANNOTATIONS_CONTAINERS_MAX, sizeof(*list->names));
	if (!list->names)
		return DENY(annotation, MESSAGE_NO_MEMORY);
	annotations->containers_text = text;
	do {
		size_t len = strcspn(text, ",");
		const char *begin = text;
		size_t trimmed = text_trim(&begin, len);
		const char *name = arena_strndup(arena, begin, trimmed);

		if (!name || !name_is_dns_label(name))
			return DENY(annotation, DENY_CONTAINERS, (unsigned)ANNOTATIONS_CONTAINERS_MAX);
		if (!list_has(list, name)) {
			if (list->len == ANNOTATIONS_CONTAINERS_MAX)
				return DENY(annotation, DENY_CONTAINERS, (unsigned)ANNOTATIONS_CONTAINERS_MAX);
			list->names[list->len++] = name;
		}
		last = text[len] == '\0';
		text += len + 1;
	} while (!last);
	return 0;
}

static int read_address(const struct annotation *annotation, struct annotations *annotations)
{
	if (!address_form_parse(annotation->value, &annotations->address))
		return DENY(annotation, DENY_ADDRESS);
	return 0;
}

static int read_overwrite(const struct annotation *annotation, struct annotations *annotations)
{
	return read_boolean(annotation, &annotations->overwrite);
}

static int read_sparse(const struct annotation *annotation, struct annotations *annotations)
{
	return read_boolean(annotation, &annotations->sparse);
}

static int read_rpc_layer(const struct annotation *annotation, struct annotations *annotations)
{
	if (strcmp(annotation->value, "grpc") != 0)
		return DENY(annotation, DENY_RPC_LAYER);
	annotations->grpc = true;
	return 0;
}

static int read_on_scale(const struct annotation *annotation, struct annotations *annotations)
{
	annotations->scale_denied = strcmp(annotation->value, "deny") == 0;
	if (!annotations->scale_denied && strcmp(annotation->value, "restart") != 0)
		return DENY(annotation, DENY_ON_SCALE);
	return 0;
}

static int read_wait(const struct annotation *annotation, struct annotations *annotations)
{
	return read_boolean(annotation, &annotations->wait);
}

static const struct key {
	const char *name; /* after the prefix */
	int (*read)(const struct annotation *annotation, struct annotations *annotations);
} keys[] = {
	{"inject", read_inject},     {"cluster", read_cluster},
	{"port", read_port},         {"containers", read_containers},
	{"address", read_address},   {"overwrite", read_overwrite},
	{"sparse", read_sparse},     {"rpc-layer", read_rpc_layer},
	{"on-scale", read_on_scale}, {"wait", read_wait},
};

enum { KEYS = sizeof(keys) / sizeof(keys[0]) };

static int deny_unknown(struct verdict *verdict, const char *field)
{
	char known[KEYS * 24] = "";
	size_t len = 0;

	for (size_t i = 0; i < KEYS; i++) {
		const char *const parts[] = {i ? ", " : "", ANNOTATION_PREFIX, keys[i].name};

		for (size_t j = 0; j < ARRAY_LEN(parts); j++) {
			size_t part = strlen(parts[j]);

			memcpy(known + len, parts[j], part + 1);
			len += part;
		}
	}
	return verdict_deny(verdict, field, "unknown", DENY_UNKNOWN_ANNOTATION, known);
}

static const char *field_of(const struct verdict *verdict, const char *name)
{
	size_t len = strlen(name);
	const char *field = arena_printf(verdict->arena, "annotation %.*s", (int)text_clip(name, len, 80), name);

	return field ? field : "annotation";
}

/* Copies the values of one map into `values`, one for each key. `stamped`: our own stamp may be among them. */
static int collect(const cJSON *annotations, bool stamped, struct verdict *verdict, const char *values[KEYS])
{
	const cJSON *item;

	cJSON_ArrayForEach (item, annotations) {
		const char *value = cJSON_GetStringValue(item);
		const char *field;
		size_t key = 0;

		if (strncmp(item->string, ANNOTATION_PREFIX, strlen(ANNOTATION_PREFIX)) != 0)
			continue;
		if (stamped && strcmp(item->string, GROUP_KEY) == 0)
			continue;
		field = field_of(verdict, item->string);
		while (key < KEYS && strcmp(keys[key].name, item->string + strlen(ANNOTATION_PREFIX)) != 0)
			key++;
		if (key == KEYS)
			return deny_unknown(verdict, field);
		if (!value)
			return verdict_deny(verdict, field, verdict_value(verdict, item), DENY_NOT_A_STRING);
		if (values[key] && strcmp(values[key], value) != 0)
			return verdict_deny(verdict, field, verdict_quote(verdict, values[key]), DENY_TWO_VALUES,
					    verdict_quote(verdict, value));
		values[key] = value;
	}
	return 0;
}

int annotations_read(const cJSON *object, struct verdict *verdict, struct annotations *ret_annotations)
{
	const cJSON *metadata = json_get_object(object, "metadata");
	const cJSON *template = json_get_object(json_get_object(object, "spec"), "template");
	const cJSON *own = json_get_object(metadata, "annotations");
	const cJSON *pods = json_get_object(json_get_object(template, "metadata"), "annotations");
	struct annotations annotations = {.port = PORT_DEFAULT};
	const char *values[KEYS] = {NULL};

	if (collect(own, false, verdict, values) < 0 || collect(pods, true, verdict, values) < 0)
		return -1;
	for (size_t i = 0; i < KEYS; i++) {
		struct annotation annotation = {.verdict = verdict, .value = values[i]};

		if (!values[i])
			continue;
		annotation.field = arena_printf(verdict->arena, "annotation %s%s", ANNOTATION_PREFIX, keys[i].name);
		if (!annotation.field)
			annotation.field = "annotation";
		if (keys[i].read(&annotation, &annotations) < 0)
			return -1;
		annotations.others = annotations.others || keys[i].read != read_inject;
	}
	*ret_annotations = annotations;
	return 0;
}
