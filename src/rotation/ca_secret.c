/* SPDX-License-Identifier: Apache-2.0 */
#include "rotation/ca_secret.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/base64.h"
#include "base/json.h"
#include "base/names.h"
#include "base/rfc3339.h"
#include "base/text.h"
#include "pki/inspect.h"

#define ANNOTATION      "tfconfig.dev/rotate"
#define ANNOTATION_PATH "/metadata/annotations/tfconfig.dev~1rotate"

enum key { CURRENT_CERTIFICATE, CURRENT_KEY, NEXT_CERTIFICATE, NEXT_KEY, RETIRED, PROMOTED_AT, KEYS };

_Static_assert((int)KEYS == (int)CA_SECRET_KEYS, "held.keys has a place for each");

static const char *const key_names[KEYS] = {
	[CURRENT_CERTIFICATE] = "ca.crt", [CURRENT_KEY] = "ca.key",  [NEXT_CERTIFICATE] = "next.crt",
	[NEXT_KEY] = "next.key",          [RETIRED] = "retired.crt", [PROMOTED_AT] = "promoted-at",
};

/* The data's values, in the arena; NULL for those that are missing. */
struct values {
	const char *text[KEYS];
};

void ca_secret_init(struct ca_secret *secret)
{
	*secret = (struct ca_secret){.state = ROTATION_SECRET_MISSING};
	keypair_init(&secret->current);
	keypair_init(&secret->next);
	buf_init(&secret->retired, CA_SECRET_RETIRED_MAX);
}

static void release_data(struct ca_secret *secret)
{
	keypair_release(&secret->current);
	keypair_release(&secret->next);
	buf_release(&secret->retired);
	secret->promoted_at = 0;
}

void ca_secret_release(struct ca_secret *secret)
{
	release_data(secret);
	ca_secret_init(secret);
}

/*
 * Reading. These return 0, -1 if reading failed, or 1 if the Secret is broken, which ends the reading too.
 */

static int set_broken(struct ca_secret *secret, const char *where, const char *format, ...) PRINTF_LIKE(3, 4);

static int set_broken(struct ca_secret *secret, const char *where, const char *format, ...)
{
	const size_t size = sizeof(secret->problem);
	va_list args;
	int len;

	secret->state = ROTATION_SECRET_BROKEN;
	len = snprintf(secret->problem, size, "%s: ", where);
	va_start(args, format);
	if (len > 0 && (size_t)len < size)
		vsnprintf(secret->problem + len, size - (size_t)len, format, args);
	va_end(args);
	text_clean(secret->problem);
	return 1;
}

/* Turns the error of a check into a result: a bad value makes the Secret broken, lack of memory is a failure. */
static int classify(struct ca_secret *secret, enum key key, const struct error *found, struct error *err)
{
	if (found->code == ERROR_NO_MEMORY)
		return error_set(err, ERROR_NO_MEMORY, "the Secret's %s: %s", key_names[key], found->message);
	return set_broken(secret, key_names[key], "%s", found->message);
}

static int read_value(struct arena *arena, const cJSON *item, enum key key, struct ca_secret *secret,
		      struct values *values, struct error *err)
{
	const char *base64 = cJSON_GetStringValue(item);
	size_t len;

	secret->held.keys[key] = true;
	if (!base64 || !base64_is_valid(base64))
		return set_broken(secret, key_names[key], "it is not base64");
	if (!base64[0])
		return 0;
	values->text[key] = base64_decode(arena, base64, &len);
	if (!values->text[key])
		return error_set(err, ERROR_NO_MEMORY, "no memory for the Secret's %s", key_names[key]);
	if (strlen(values->text[key]) != len)
		return set_broken(secret, key_names[key], "it holds a NUL character");
	return 0;
}

static int read_values(struct arena *arena, const cJSON *data, struct ca_secret *secret, struct values *values,
		       struct error *err)
{
	for (enum key key = CURRENT_CERTIFICATE; key < KEYS; key++) {
		const cJSON *item = json_get(data, key_names[key]);
		const int result = item ? read_value(arena, item, key, secret, values, err) : 0;

		if (result != 0)
			return result;
	}
	return 0;
}

static int check_ca(const struct inspection *ca, enum key key, struct ca_secret *secret)
{
	if (strcmp(ca->common_name, CA_SECRET_COMMON_NAME) != 0)
		return set_broken(secret, key_names[key], "it holds a certificate of \"%s\", not of \"%s\"",
				  ca->common_name, CA_SECRET_COMMON_NAME);
	return ca->is_ca ? 0 : set_broken(secret, key_names[key], "it holds a certificate that is not a CA's");
}

/* The certificates of one value, which must all be CAs of ours. */
static int read_cas(const char *text, enum key key, size_t max, struct buf *pem, struct ca_secret *secret,
		    struct error *err)
{
	struct inspection cas[ROTATION_CAS_MAX];
	struct error found;
	size_t count;

	if (strlen(text) > pem->max / 2)
		return set_broken(secret, key_names[key], "it is too large");
	if (inspect_bundle(text, max, cas, &count, pem, &found) < 0)
		return classify(secret, key, &found, err);
	for (size_t i = 0; i < count; i++) {
		if (check_ca(&cas[i], key, secret) != 0)
			return 1;
	}
	return 0;
}

static int read_pair(const struct values *values, enum key certificate, enum key key, struct keypair *pair,
		     struct ca_secret *secret, struct error *err)
{
	const char *certificate_text = values->text[certificate];
	const char *key_text = values->text[key];
	struct error found;
	int result;

	if (!certificate_text && !key_text)
		return 0;
	if (!certificate_text || !key_text)
		return set_broken(secret, key_names[certificate_text ? key : certificate],
				  "it is missing, and its other half is there");
	result = read_cas(certificate_text, certificate, 1, &pair->certificate, secret, err);
	if (result != 0)
		return result;
	if (strlen(key_text) > pair->key.max)
		return set_broken(secret, key_names[key], "it is too large");
	buf_add_string(&pair->key, key_text);
	if (pair->key.failed)
		return error_set(err, ERROR_NO_MEMORY, "no memory for the Secret's %s", key_names[key]);
	return keypair_check(pair, &found) < 0 ? classify(secret, key, &found, err) : 0;
}

static int read_retired(const char *text, struct ca_secret *secret, struct error *err)
{
	const size_t others = (size_t)(secret->current.key.len > 0) + (size_t)(secret->next.key.len > 0);

	return text ? read_cas(text, RETIRED, ROTATION_CAS_MAX - others, &secret->retired, secret, err) : 0;
}

static int read_promoted_at(const char *text, struct ca_secret *secret)
{
	if (text && !rfc3339_read(text, &secret->promoted_at))
		return set_broken(secret, key_names[PROMOTED_AT], "it is not a time like 2006-01-02T15:04:05Z");
	return 0;
}

static int read_data(struct arena *arena, const cJSON *tree, struct ca_secret *secret, struct error *err)
{
	const cJSON *data = json_get(tree, "data");
	struct values values = {0};
	bool empty = true;
	int result;

	if (json_get_true(tree, "immutable"))
		return set_broken(secret, "immutable", "nothing can be written into it");
	secret->held.data = cJSON_IsObject(data);
	if (data && !cJSON_IsNull(data) && !secret->held.data)
		return set_broken(secret, "data", "it is not an object");
	result = read_values(arena, data, secret, &values, err);
	for (size_t i = 0; i < KEYS; i++)
		empty &= !values.text[i];
	secret->state = empty ? ROTATION_SECRET_EMPTY : ROTATION_SECRET_SOUND;
	if (result == 0)
		result = read_pair(&values, CURRENT_CERTIFICATE, CURRENT_KEY, &secret->current, secret, err);
	if (result == 0)
		result = read_pair(&values, NEXT_CERTIFICATE, NEXT_KEY, &secret->next, secret, err);
	if (result == 0)
		result = read_retired(values.text[RETIRED], secret, err);
	if (result == 0)
		result = read_promoted_at(values.text[PROMOTED_AT], secret);
	if (result == 0 && !empty && !secret->current.key.len && !secret->next.key.len)
		return set_broken(secret, key_names[CURRENT_CERTIFICATE], "it is missing, and others are there");
	return result;
}

static int read_secret(struct arena *arena, const char *json, size_t len, struct ca_secret *secret, struct error *err)
{
	const cJSON *tree = object_parse(arena, "Secret", json, len, err);
	const cJSON *annotations = json_get_object(json_get_object(tree, "metadata"), "annotations");

	if (!tree || object_read_version(tree, secret->version, err) < 0)
		return -1;
	secret->held.annotation = json_get(annotations, ANNOTATION) != NULL;
	secret->rotation_asked = secret->held.annotation;
	return read_data(arena, tree, secret, err);
}

int ca_secret_parse(struct arena *arena, const char *json, size_t len, struct ca_secret *secret, struct error *err)
{
	struct arena *before = arena_enter(arena);
	int result;

	ca_secret_release(secret);
	result = read_secret(arena, json, len, secret, err);
	arena_enter(before);
	if (result < 0)
		ca_secret_release(secret);
	if (result > 0) {
		secret->state = ROTATION_SECRET_BROKEN;
		release_data(secret);
	}
	return result < 0 ? -1 : 0;
}

/* Viewing. */

static struct rotation_ca rotation_ca_of(const struct inspection *inspection)
{
	struct rotation_ca ca = {.not_before = inspection->not_before, .not_after = inspection->not_after};

	memcpy(ca.id, inspection->id, sizeof(ca.id));
	return ca;
}

static int view_ca(const struct keypair *pair, bool *has, struct rotation_ca *ca, struct error *err)
{
	struct inspection inspection;

	if (!pair->certificate.len)
		return 0;
	if (inspect_certificate(&pair->certificate, &inspection, err) < 0)
		return -1;
	*has = true;
	*ca = rotation_ca_of(&inspection);
	return 0;
}

static int view_retired(const struct ca_secret *secret, struct rotation_view *view, struct error *err)
{
	struct inspection cas[ARRAY_LEN(view->retired)];

	view->retired_count = 0;
	if (!secret->retired.len)
		return 0;
	if (inspect_bundle(buf_string(&secret->retired), ARRAY_LEN(cas), cas, &view->retired_count, NULL, err) < 0)
		return -1;
	for (size_t i = 0; i < view->retired_count; i++)
		view->retired[i] = rotation_ca_of(&cas[i]);
	return 0;
}

int ca_secret_view(const struct ca_secret *secret, struct rotation_view *view, struct error *err)
{
	view->secret = secret->state;
	view->has_current = view->has_next = false;
	view->promoted_at = secret->promoted_at;
	view->rotation_asked = secret->rotation_asked;
	if (view_ca(&secret->current, &view->has_current, &view->current, err) < 0 ||
	    view_ca(&secret->next, &view->has_next, &view->next, err) < 0)
		return -1;
	return view_retired(secret, view, err);
}

int ca_secret_bundle(const struct ca_secret *secret, struct buf *ret_bundle, struct error *err)
{
	if (secret->state != ROTATION_SECRET_SOUND)
		return 0;
	buf_add_string(ret_bundle, buf_string(&secret->next.certificate));
	buf_add_string(ret_bundle, buf_string(&secret->current.certificate));
	buf_add_string(ret_bundle, buf_string(&secret->retired));
	if (ret_bundle->failed)
		return error_set(err, ERROR_NO_MEMORY, "no memory for the CAs to publish");
	return 0;
}

/* Changing. */

int ca_secret_promote(struct ca_secret *secret, struct error *err)
{
	CLEANUP(buf_release) struct buf retired;

	buf_init(&retired, CA_SECRET_RETIRED_MAX);
	buf_add_string(&retired, buf_string(&secret->current.certificate));
	buf_add_string(&retired, buf_string(&secret->retired));
	if (retired.failed)
		return error_set(err, ERROR_NO_MEMORY, "no memory for the retired CAs");
	ca_secret_adopt(secret, &retired);
	keypair_move(&secret->current, &secret->next);
	return 0;
}

void ca_secret_adopt(struct ca_secret *secret, struct buf *retired)
{
	buf_release(&secret->retired);
	secret->retired = *retired;
	buf_init(retired, secret->retired.max);
	secret->promoted_at = 0;
}

static void patch_key(const struct ca_secret *secret, enum key key, const char *value, size_t len, struct buf *body)
{
	if (len > 0) {
		buf_addf(body, ",{\"op\":\"add\",\"path\":\"/data/%s\",\"value\":\"", key_names[key]);
		object_add_base64(body, value, len);
		buf_add_string(body, "\"}");
	} else if (secret->held.keys[key]) {
		buf_addf(body, ",{\"op\":\"remove\",\"path\":\"/data/%s\"}", key_names[key]);
	}
}

static void patch_buf(const struct ca_secret *secret, enum key key, const struct buf *value, struct buf *body)
{
	patch_key(secret, key, buf_string(value), value->len, body);
}

static void patch_promoted_at(const struct ca_secret *secret, struct buf *body)
{
	char text[RFC3339_SIZE] = "";

	if (secret->promoted_at)
		rfc3339_write(secret->promoted_at, text);
	patch_key(secret, PROMOTED_AT, text, strlen(text), body);
}

int ca_secret_patch(const struct ca_secret *secret, struct buf *ret_body, struct error *err)
{
	if (secret->state != ROTATION_SECRET_SOUND && secret->state != ROTATION_SECRET_EMPTY)
		return error_set(err, ERROR_INVALID, "nothing is written into a Secret that is not ours");
	buf_addf(ret_body, "[{\"op\":\"test\",\"path\":\"/metadata/resourceVersion\",\"value\":\"%s\"}",
		 secret->version);
	if (secret->held.annotation && !secret->rotation_asked)
		buf_add_string(ret_body, ",{\"op\":\"remove\",\"path\":\"" ANNOTATION_PATH "\"}");
	if (!secret->held.data)
		buf_add_string(ret_body, ",{\"op\":\"add\",\"path\":\"/data\",\"value\":{}}");
	patch_buf(secret, CURRENT_CERTIFICATE, &secret->current.certificate, ret_body);
	patch_buf(secret, CURRENT_KEY, &secret->current.key, ret_body);
	patch_buf(secret, NEXT_CERTIFICATE, &secret->next.certificate, ret_body);
	patch_buf(secret, NEXT_KEY, &secret->next.key, ret_body);
	patch_buf(secret, RETIRED, &secret->retired, ret_body);
	patch_promoted_at(secret, ret_body);
	buf_add_string(ret_body, "]");
	if (ret_body->failed)
		return error_set(err, ERROR_NO_MEMORY, "no memory for a patch of the Secret");
	return 0;
}

int ca_secret_empty(const char *namespace, const char *name, struct buf *ret_body, struct error *err)
{
	if (!name_is_dns_label(namespace) || !name_is_dns_name(name))
		return error_set(err, ERROR_INVALID, "\"%s/%s\" is not the name of a Secret", namespace, name);
	buf_addf(ret_body,
		 "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"%s\",\"namespace\":\"%s\"},"
		 "\"type\":\"Opaque\"}",
		 name, namespace);
	if (ret_body->failed)
		return error_set(err, ERROR_NO_MEMORY, "no memory for a Secret");
	return 0;
}
