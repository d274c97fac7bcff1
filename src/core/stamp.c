/* SPDX-License-Identifier: Apache-2.0 */
#include "core/stamp.h"

#include <limits.h>
#include <string.h>

#include "base/json.h"
#include "base/names.h"
#include "core/messages.h"

const char *stamp_encode(struct arena *arena, const struct stamp *stamp)
{
	cJSON *json = cJSON_CreateObject();

	json_add(json, "version", cJSON_CreateNumber(STAMP_VERSION));
	json_add_string(json, "group", group_format(arena, &stamp->group));
	json_add(json, "start", cJSON_CreateNumber(stamp->start));
	json_add(json, "followsReplicas", cJSON_CreateBool(stamp->follows_replicas));
	json_add(json, "port", cJSON_CreateNumber(stamp->port));
	json_add_string(json, "address", address_form_name(stamp->address));
	json_add_string(json, "domain", stamp->domain);
	json_add(json, "sparse", cJSON_CreateBool(stamp->sparse));
	json_add(json, "overwrite", cJSON_CreateBool(stamp->overwrite));
	if (stamp->grpc)
		json_add_string(json, "rpcLayer", "grpc");
	if (stamp->containers.names) {
		cJSON *names = cJSON_CreateArray();

		for (size_t i = 0; i < stamp->containers.len; i++)
			cJSON_AddItemToArray(names, cJSON_CreateStringReference(stamp->containers.names[i]));
		json_add(json, "containers", names);
	}
	if (stamp->wait)
		json_add(json, "wait", cJSON_CreateTrue());
	return json_print(arena, json);
}

static int unreadable(struct error *err, const char *member)
{
	return error_set(err, ERROR_INVALID, "its \"%s\" is missing or wrong", member);
}

static bool read_bool(const cJSON *json, const char *name, bool *ret_value)
{
	const cJSON *item = json_get(json, name);

	*ret_value = cJSON_IsTrue(item);
	return cJSON_IsBool(item);
}

static bool read_domain(const cJSON *json, const char **ret_domain)
{
	*ret_domain = json_get_string(json, "domain");
	return *ret_domain && (!**ret_domain || name_is_dns_name(*ret_domain));
}

static bool read_address(const cJSON *json, enum address_form *ret_address)
{
	const char *text = json_get_string(json, "address");

	return text && address_form_parse(text, ret_address);
}

static bool read_rpc_layer(const cJSON *json, bool *ret_grpc)
{
	const char *text = json_get_string(json, "rpcLayer");

	*ret_grpc = text != NULL;
	return text ? strcmp(text, "grpc") == 0 : !json_get(json, "rpcLayer");
}

static bool read_containers(struct arena *arena, const cJSON *json, struct container_list *list)
{
	const cJSON *names = json_get(json, "containers");
	const cJSON *item;
	int size = cJSON_GetArraySize(names);

	if (!names)
		return true;
	if (!cJSON_IsArray(names) || size < 1 || size > ANNOTATIONS_CONTAINERS_MAX)
		return false;
	list->names = arena_calloc(arena, (size_t)size, sizeof(*list->names));
	if (!list->names)
		return false;
	cJSON_ArrayForEach (item, names) {
		if (!cJSON_IsString(item) || !name_is_dns_label(item->valuestring))
			return false;
		list->names[list->len++] = item->valuestring;
	}
	return true;
}

/* The group, which in a stamp names every set and service and counts every pod. */
static int read_group(struct arena *arena, const cJSON *json, struct stamp *stamp, struct error *err)
{
	const char *text = json_get_string(json, "group");

	if (!text)
		return unreadable(err, "group");
	if (!cJSON_IsNumber(json_get(json, "start")) || !json_get_unsigned(json, "start", 0, INT_MAX, &stamp->start))
		return unreadable(err, "start");
	if (group_parse(arena, text, &stamp->group, err) < 0)
		return -1;
	for (size_t i = 0; i < stamp->group.len; i++) {
		const struct group_entry *entry = &stamp->group.entries[i];

		if (!entry->set || !entry->service || entry->rest)
			return unreadable(err, "group");
	}
	if (group_check(&stamp->group, err) < 0)
		return -1;
	if (stamp->start != 0 && group_spans_sets(&stamp->group, stamp->group.entries[0].set))
		return unreadable(err, "start");
	group_number(&stamp->group, stamp->start);
	return 0;
}

static int read_members(struct arena *arena, const cJSON *json, struct stamp *stamp, struct error *err)
{
	if (read_group(arena, json, stamp, err) < 0)
		return -1;
	if (!read_bool(json, "followsReplicas", &stamp->follows_replicas))
		return unreadable(err, "followsReplicas");
	if (!json_get_unsigned(json, "port", 0, PORT_MAX, &stamp->port) || stamp->port == 0)
		return unreadable(err, "port");
	if (!read_address(json, &stamp->address))
		return unreadable(err, "address");
	if (!read_domain(json, &stamp->domain))
		return unreadable(err, "domain");
	if (!read_bool(json, "sparse", &stamp->sparse) ||
	    (stamp->sparse && group_role_size(&stamp->group, ROLE_PS) == 0))
		return unreadable(err, "sparse");
	if (!read_bool(json, "overwrite", &stamp->overwrite))
		return unreadable(err, "overwrite");
	if (!read_rpc_layer(json, &stamp->grpc))
		return unreadable(err, "rpcLayer");
	if (!read_containers(arena, json, &stamp->containers))
		return unreadable(err, "containers");
	if (json_get(json, "wait") && !read_bool(json, "wait", &stamp->wait))
		return unreadable(err, "wait");
	return 0;
}

int stamp_decode(struct arena *arena, const char *text, struct stamp *ret_stamp, int *ret_version, struct error *err)
{
	struct stamp stamp = {0};
	unsigned version;
	cJSON *json;

	*ret_version = 0;
	json = json_parse(arena, text, strlen(text), err);
	if (!json)
		return -1;
	if (!cJSON_IsObject(json) || !json_get_unsigned(json, "version", 0, INT_MAX, &version) || version == 0)
		return unreadable(err, "version");
	*ret_version = (int)version;
	if (version != STAMP_VERSION)
		return error_set(err, ERROR_INVALID, "its version is %u", version);
	if (read_members(arena, json, &stamp, err) < 0)
		return -1;
	*ret_stamp = stamp;
	return 0;
}

static bool containers_equal(const struct container_list *a, const struct container_list *b)
{
	if (!a->names || !b->names)
		return !a->names && !b->names;
	if (a->len != b->len)
		return false;
	for (size_t i = 0; i < a->len; i++) {
		if (strcmp(a->names[i], b->names[i]) != 0)
			return false;
	}
	return true;
}

bool stamp_equal(const struct stamp *a, const struct stamp *b)
{
	return group_equal(&a->group, &b->group) && a->start == b->start &&
	       a->follows_replicas == b->follows_replicas && a->port == b->port && a->address == b->address &&
	       a->sparse == b->sparse && a->overwrite == b->overwrite && a->grpc == b->grpc && a->wait == b->wait &&
	       containers_equal(&a->containers, &b->containers);
}
