/* SPDX-License-Identifier: Apache-2.0 */
#include "wait/peers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/names.h"
#include "base/text.h"
#include "core/messages.h"

/* <pod>.<service>.<namespace>.svc.<domain> */
static bool is_full_name(const char *host)
{
	for (unsigned labels = 0; host && labels < 3; labels++) {
		host = strchr(host, '.');
		host = host ? host + 1 : NULL;
	}
	return host && strncmp(host, "svc.", 4) == 0 && host[4];
}

/* Cuts the host out of "host:port" or "[host]:port", in place. NULL if it is neither. */
static char *cut_host(char *address)
{
	char *colon = strrchr(address, ':');

	if (!colon || !colon[1])
		return NULL;
	*colon = '\0';
	if (address[0] == '[') {
		if (colon[-1] != ']')
			return NULL;
		colon[-1] = '\0';
		address++;
	}
	if (!address[0] || strlen(address) > DNS_NAME_MAX)
		return NULL;
	if (is_full_name(address))
		memcpy(colon, ".", sizeof(".")); /* there is room, as the port was here */
	return address;
}

static int add_peers(const cJSON *role, struct peers *peers, struct error *err)
{
	const cJSON *address;

	cJSON_ArrayForEach (address, role) {
		const char *name = cJSON_IsString(address) ? cut_host(address->valuestring) : NULL;

		if (!name)
			return error_set(err, ERROR_INVALID, WAIT_BROKEN_ADDRESS);
		peers->list[peers->len] = (struct peer){.name = name, .place = peers->len};
		peers->len++;
	}
	return 0;
}

static int compare_places(const void *a, const void *b)
{
	const struct peer *one = a;
	const struct peer *other = b;

	return (one->place > other->place) - (one->place < other->place);
}

static int compare_names(const void *a, const void *b)
{
	const struct peer *one = a;
	const struct peer *other = b;
	int order = strcmp(one->name, other->name);

	return order ? order : compare_places(a, b);
}

/* Keeps the first of each name. */
static void remove_doubles(struct peers *peers)
{
	size_t len = 0;

	qsort(peers->list, peers->len, sizeof(*peers->list), compare_names);
	for (size_t i = 0; i < peers->len; i++) {
		if (len == 0 || strcmp(peers->list[len - 1].name, peers->list[i].name) != 0)
			peers->list[len++] = peers->list[i];
	}
	peers->len = len;
	qsort(peers->list, peers->len, sizeof(*peers->list), compare_places);
}

int peers_read(struct arena *arena, const char *tf_config, struct peers *ret_peers, struct error *err)
{
	const cJSON *tree = json_parse(arena, tf_config, strlen(tf_config), err);
	const cJSON *cluster = json_get_object(tree, "cluster");
	struct peers peers = {0};
	const cJSON *role;
	size_t addresses = 0;

	if (!tree)
		return -1;
	cJSON_ArrayForEach (role, cluster)
		addresses += (size_t)cJSON_GetArraySize(role);
	if (addresses == 0)
		return error_set(err, ERROR_INVALID, WAIT_NO_ADDRESSES);
	peers.list = arena_calloc(arena, addresses, sizeof(*peers.list));
	if (!peers.list)
		return error_set(err, ERROR_NO_MEMORY, MESSAGE_NO_MEMORY);
	cJSON_ArrayForEach (role, cluster) {
		if (add_peers(role, &peers, err) < 0)
			return -1;
	}
	remove_doubles(&peers);
	*ret_peers = peers;
	return 0;
}

void peers_resolve(struct peers *peers, size_t i)
{
	peers->resolved += !peers->list[i].resolved;
	peers->list[i].resolved = true;
}

/* Length of the name to show: the pod's if the first label can be one, that is, has a '-'; else all of it. */
static size_t shown_length(const char *name)
{
	size_t len = strlen(name);
	size_t label = strcspn(name, ".");

	return memchr(name, '-', label) ? label : len;
}

void peers_name_missing(const struct peers *peers, size_t shown, char ret_text[PEERS_TEXT_MAX])
{
	const size_t room = PEERS_TEXT_MAX - sizeof(" and 18446744073709551615 more");
	size_t left = peers->len - peers->resolved;
	size_t len = 0;

	ret_text[0] = '\0';
	for (size_t i = 0; i < peers->len && shown > 0; i++) {
		const char *name = peers->list[i].name;
		size_t size = shown_length(name);

		if (peers->list[i].resolved)
			continue;
		if (len + strlen(", ") + size > room)
			break;
		len += (size_t)snprintf(ret_text + len, PEERS_TEXT_MAX - len, "%s%.*s", len ? ", " : "", (int)size,
					name);
		left--;
		shown--;
	}
	if (left > 0)
		snprintf(ret_text + len, PEERS_TEXT_MAX - len, "%s%zu more", len ? " and " : "", left);
	text_clean(ret_text);
}
