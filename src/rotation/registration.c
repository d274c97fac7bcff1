/* SPDX-License-Identifier: Apache-2.0 */
#include "rotation/registration.h"

#include <string.h>

#include "base/base64.h"
#include "base/json.h"
#include "pki/inspect.h"

#define KIND "MutatingWebhookConfiguration"

enum { RETIRED_MAX = ROTATION_CAS_MAX - 1 };

static const char *const our_webhooks[] = {"statefulsets.tfconfig.dev", "pods.tfconfig.dev"};

static int read_bundle(struct arena *arena, const cJSON *client_config, const char **ret_bundle, struct error *err)
{
	const char *base64 = json_get_string(client_config, "caBundle");
	const char *bundle;
	size_t len;

	*ret_bundle = "";
	if (!base64 || !base64_is_valid(base64))
		return 0;
	bundle = base64_decode(arena, base64, &len);
	if (!bundle)
		return error_set(err, ERROR_NO_MEMORY, KIND ": no memory for a caBundle");
	if (strlen(bundle) == len)
		*ret_bundle = bundle;
	return 0;
}

static int read_webhooks(struct arena *arena, const cJSON *tree, struct registration *registration, struct error *err)
{
	const cJSON *webhook;

	cJSON_ArrayForEach (webhook, json_get_array(tree, "webhooks")) {
		const char *name = json_get_string(webhook, "name");
		const cJSON *client_config = json_get_object(webhook, "clientConfig");

		if (registration->count == REGISTRATION_WEBHOOKS_MAX)
			return error_set(err, ERROR_INVALID, KIND ": it has more than %d webhooks",
					 REGISTRATION_WEBHOOKS_MAX);
		if (!name || !client_config)
			return error_set(err, ERROR_INVALID, KIND ": a webhook has no name or no clientConfig");
		registration->webhooks[registration->count].name = name;
		if (read_bundle(arena, client_config, &registration->webhooks[registration->count].bundle, err) < 0)
			return -1;
		registration->count++;
	}
	return 0;
}

static bool has_webhook(const struct registration *registration, const char *name)
{
	for (unsigned i = 0; i < registration->count; i++) {
		if (strcmp(registration->webhooks[i].name, name) == 0)
			return true;
	}
	return false;
}

static void find_missing(struct registration *registration)
{
	for (size_t i = 0; i < ARRAY_LEN(our_webhooks) && !registration->missing; i++) {
		if (!has_webhook(registration, our_webhooks[i]))
			registration->missing = our_webhooks[i];
	}
	registration->complete = !registration->missing;
}

static int parse(struct arena *arena, const char *json, size_t len, struct registration *ret_registration,
		 struct error *err)
{
	struct registration registration = {0};
	const cJSON *tree = object_parse(arena, KIND, json, len, err);

	if (!tree || object_read_version(tree, registration.version, err) < 0 ||
	    read_webhooks(arena, tree, &registration, err) < 0)
		return -1;
	find_missing(&registration);
	*ret_registration = registration;
	return 0;
}

int registration_parse(struct arena *arena, const char *json, size_t len, struct registration *ret_registration,
		       struct error *err)
{
	struct arena *before = arena_enter(arena);
	const int result = parse(arena, json, len, ret_registration, err);

	arena_enter(before);
	return result;
}

bool registration_has(const struct registration *registration, const char *bundle)
{
	for (unsigned i = 0; i < registration->count; i++) {
		if (strcmp(registration->webhooks[i].bundle, bundle) != 0)
			return false;
	}
	return registration->count > 0 && bundle[0];
}

/* CAs, the newest first; those that do not fit fall off the end. */
struct list {
	size_t count;
	struct entry {
		struct inspection ca;
		bool is_new;
		struct buf pem;
	} entries[RETIRED_MAX + 1];
};

static void list_release(struct list *list)
{
	for (size_t i = 0; i < list->count; i++)
		buf_release(&list->entries[i].pem);
}

static bool list_has(const struct list *list, const char *id)
{
	for (size_t i = 0; i < list->count; i++) {
		if (strcmp(list->entries[i].ca.id, id) == 0)
			return true;
	}
	return false;
}

/* Takes ownership of the text. CAs made in the same second stay in the order in which they came. */
static void list_insert(struct list *list, const struct inspection *ca, struct buf *pem, bool is_new)
{
	const struct entry entry = {.ca = *ca, .is_new = is_new, .pem = *pem};
	size_t at = list->count++;

	for (; at > 0 && list->entries[at - 1].ca.not_before < ca->not_before; at--)
		list->entries[at] = list->entries[at - 1];
	list->entries[at] = entry;
	buf_init(pem, pem->max);
	if (list->count > RETIRED_MAX)
		buf_release(&list->entries[--list->count].pem);
}

static bool is_ours(const struct inspection *ca, const struct buf *pem)
{
	return ca->is_ca && strcmp(ca->common_name, CA_SECRET_COMMON_NAME) == 0 &&
	       pem->len <= KEYPAIR_CERTIFICATE_MAX / 2;
}

static bool is_known(const struct rotation_view *view, const char *id)
{
	return (view->has_current && strcmp(view->current.id, id) == 0) ||
	       (view->has_next && strcmp(view->next.id, id) == 0);
}

/* Adds those of our CAs in the text that are not in the list yet, and neither current nor next. */
static int list_add(struct list *list, const char *text, const struct rotation_view *view, bool are_new,
		    struct error *err)
{
	const size_t room = 2 * strlen(text) + 1024; /* for CAs of others, of any size */

	for (;;) {
		CLEANUP(buf_release) struct buf pem;
		struct inspection ca;
		int found;

		buf_init(&pem, room);
		found = inspect_next(&text, &ca, &pem, err);
		if (found <= 0)
			return found;
		if (is_ours(&ca, &pem) && !is_known(view, ca.id) && !list_has(list, ca.id))
			list_insert(list, &ca, &pem, are_new);
	}
}

static int write_list(const struct list *list, struct buf *ret_retired, struct error *err)
{
	int count = 0;

	for (size_t i = 0; i < list->count; i++) {
		buf_add_string(ret_retired, buf_string(&list->entries[i].pem));
		count += list->entries[i].is_new;
	}
	if (ret_retired->failed)
		return error_set(err, ERROR_NO_MEMORY, "no memory for the CAs that are trusted");
	return count;
}

int registration_foreign(const struct registration *registration, const struct ca_secret *secret,
			 struct buf *ret_retired, struct error *err)
{
	CLEANUP(list_release) struct list list = {0};
	struct rotation_view view = {0};

	if (ca_secret_view(secret, &view, err) < 0 ||
	    list_add(&list, buf_string(&secret->retired), &view, false, err) < 0)
		return -1;
	for (unsigned i = 0; i < registration->count; i++) {
		const char *bundle = registration->webhooks[i].bundle;

		if (i > 0 && strcmp(bundle, registration->webhooks[i - 1].bundle) == 0)
			continue;
		if (list_add(&list, bundle, &view, true, err) < 0)
			return -1;
	}
	return write_list(&list, ret_retired, err);
}

static void add_operation(cJSON *patch, const char *op, const char *path, const char *value)
{
	cJSON *operation = cJSON_CreateObject();

	json_add_string(operation, "op", op);
	json_add_string(operation, "path", path);
	json_add_string(operation, "value", value);
	cJSON_AddItemToArray(patch, operation);
}

static const char *print_patch(struct arena *arena, const struct registration *registration, const char *bundle)
{
	const char *base64 = base64_encode(arena, bundle, strlen(bundle));
	cJSON *patch = cJSON_CreateArray();

	add_operation(patch, "test", "/metadata/resourceVersion", registration->version);
	for (unsigned i = 0; i < registration->count; i++) {
		add_operation(patch, "test", arena_printf(arena, "/webhooks/%u/name", i),
			      registration->webhooks[i].name);
		add_operation(patch, "add", arena_printf(arena, "/webhooks/%u/clientConfig/caBundle", i), base64);
	}
	return json_print(arena, patch);
}

int registration_patch(struct arena *arena, const struct registration *registration, const char *bundle,
		       struct buf *ret_body, struct error *err)
{
	struct arena *before = arena_enter(arena);
	const char *patch = print_patch(arena, registration, bundle);

	arena_enter(before);
	if (patch)
		buf_add_string(ret_body, patch);
	if (!patch || ret_body->failed)
		return error_set(err, ERROR_NO_MEMORY, KIND ": no memory for a patch");
	return 0;
}
