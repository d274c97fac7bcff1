/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/base64.h"
#include "json_patch.h"
#include "rotation/ca_secret.h"
#include "suites.h"
#include "unit.h"

enum {
	NOW = 1800000000, /* 2027-01-15T08:00:00Z */
	DAY = 24 * 60 * 60,
	BODY_MAX = 1024 * 1024,
};

/* As the API server writes it. %s: the data, with its comma before it, or nothing. */
#define SECRET                                                                                       \
	"{\"kind\":\"Secret\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"tfconfig-webhook-ca\"," \
	"\"namespace\":\"tfconfig-system\",\"uid\":\"6c7e3b0e-6d0c-4b0a-9d5e-0f6f8a3c2b11\","        \
	"\"resourceVersion\":\"4711\",\"creationTimestamp\":\"2027-01-01T00:00:00Z\","               \
	"\"managedFields\":[{\"time\":1}]},"                                                         \
	"\"type\":\"Opaque\"%s}"

/* Three CAs of ours, one of another name, and a leaf. */
struct sample {
	struct unit_arena unit;
	struct arena *arena;
	struct keypair one, two, three, stranger, leaf;
};

static void sample_init(struct sample *sample)
{
	struct service_names names;

	sample->arena = unit_arena_begin(&sample->unit);
	keypair_init(&sample->one);
	keypair_init(&sample->two);
	keypair_init(&sample->three);
	keypair_init(&sample->stranger);
	keypair_init(&sample->leaf);
	CU_ASSERT_EQUAL(service_names_init(&names, "hook", "ml", "", NULL), 0);
	CU_ASSERT_EQUAL(mint_ca(CA_SECRET_COMMON_NAME, NOW, NOW + DAY, &sample->one, NULL), 0);
	CU_ASSERT_EQUAL(mint_ca(CA_SECRET_COMMON_NAME, NOW + 1, NOW + 2 * DAY, &sample->two, NULL), 0);
	CU_ASSERT_EQUAL(mint_ca(CA_SECRET_COMMON_NAME, NOW + 2, NOW + 3 * DAY, &sample->three, NULL), 0);
	CU_ASSERT_EQUAL(mint_ca("somebody's CA", NOW, NOW + DAY, &sample->stranger, NULL), 0);
	CU_ASSERT_EQUAL(mint_leaf(&sample->one, &names, NOW, NOW + DAY, &sample->leaf, NULL), 0);
}

static void sample_release(struct sample *sample)
{
	keypair_release(&sample->one);
	keypair_release(&sample->two);
	keypair_release(&sample->three);
	keypair_release(&sample->stranger);
	keypair_release(&sample->leaf);
	unit_arena_end(&sample->unit);
}

static const char *certificate(const struct keypair *pair)
{
	return buf_string(&pair->certificate);
}

static const char *key(const struct keypair *pair)
{
	return buf_string(&pair->key);
}

/* Names and values in turn, NULL at the end: a Secret with these as its data. */
static const char *secret_of(struct arena *arena, const char *const *data)
{
	const char *text = "";

	for (; *data; data += 2)
		text = arena_printf(arena, "%s%s\"%s\":\"%s\"", text, *text ? "," : "", data[0],
				    base64_encode(arena, data[1], strlen(data[1])));
	return arena_printf(arena, SECRET, arena_printf(arena, ",\"data\":{%s}", text));
}

#define SECRET_OF(arena, ...) secret_of(arena, (const char *const[]){__VA_ARGS__, NULL})

static void parse(struct arena *arena, const char *json, struct ca_secret *secret)
{
	struct error err = {0};

	CU_ASSERT_EQUAL(ca_secret_parse(arena, json, strlen(json), secret, &err), 0);
	CHECK_STRING(err.message, "");
}

/* Writes what the struct holds into the Secret `json`, and reads it again, as another replica would. */
static const char *write_and_parse(struct arena *arena, const char *json, struct ca_secret *secret)
{
	CLEANUP(buf_release) struct buf body;
	const char *result;

	buf_init_secret(&body, BODY_MAX);
	CU_ASSERT_EQUAL(ca_secret_patch(secret, &body, NULL), 0);
	result = json_patch_apply(arena, json, buf_string(&body));
	CU_ASSERT_PTR_NOT_NULL(result);
	if (!result)
		return json;
	parse(arena, result, secret);
	return result;
}

static void copy(struct keypair *to, const struct keypair *from)
{
	keypair_release(to);
	buf_add(&to->certificate, from->certificate.data, from->certificate.len);
	buf_add(&to->key, from->key.data, from->key.len);
}

static void check_bundle(const struct ca_secret *secret, const char *first, const char *second, const char *third)
{
	CLEANUP(buf_release) struct buf bundle;
	CLEANUP(buf_release) struct buf expected;

	buf_init(&bundle, BODY_MAX);
	buf_init(&expected, BODY_MAX);
	CU_ASSERT_EQUAL(ca_secret_bundle(secret, &bundle, NULL), 0);
	buf_addf(&expected, "%s%s%s", first, second, third);
	CHECK_STRING(buf_string(&bundle), buf_string(&expected));
}

static void a_life_of_a_secret(void)
{
	CLEANUP(sample_release) struct sample sample;
	CLEANUP(ca_secret_release) struct ca_secret secret;
	const char *json;

	sample_init(&sample);
	ca_secret_init(&secret);
	CU_ASSERT_EQUAL(secret.state, ROTATION_SECRET_MISSING);
	json = arena_printf(sample.arena, SECRET, "");
	parse(sample.arena, json, &secret);
	CU_ASSERT_EQUAL(secret.state, ROTATION_SECRET_EMPTY);
	CHECK_STRING(secret.version, "4711");
	copy(&secret.next, &sample.one);
	json = write_and_parse(sample.arena, json, &secret);
	CU_ASSERT_EQUAL(secret.state, ROTATION_SECRET_SOUND);
	check_bundle(&secret, certificate(&sample.one), "", "");
	CU_ASSERT_EQUAL(ca_secret_promote(&secret, NULL), 0);
	json = write_and_parse(sample.arena, json, &secret);
	check_bundle(&secret, certificate(&sample.one), "", "");
	CHECK_STRING(key(&secret.current), key(&sample.one));
	copy(&secret.next, &sample.two);
	json = write_and_parse(sample.arena, json, &secret);
	check_bundle(&secret, certificate(&sample.two), certificate(&sample.one), "");
	CU_ASSERT_EQUAL(ca_secret_promote(&secret, NULL), 0);
	json = write_and_parse(sample.arena, json, &secret);
	check_bundle(&secret, certificate(&sample.two), certificate(&sample.one), "");
	CHECK_STRING(key(&secret.current), key(&sample.two));
	CU_ASSERT_EQUAL(secret.next.key.len, 0);
	CHECK_STRING(buf_string(&secret.retired), certificate(&sample.one));
	CU_ASSERT_EQUAL(secret.promoted_at, 0);
	secret.promoted_at = NOW;
	json = write_and_parse(sample.arena, json, &secret);
	CU_ASSERT_EQUAL(secret.promoted_at, NOW);
	CU_ASSERT_PTR_NOT_NULL(strstr(json, base64_encode(sample.arena, "2027-01-15T08:00:00Z", 20)));
	copy(&secret.next, &sample.three);
	CU_ASSERT_EQUAL(ca_secret_promote(&secret, NULL), 0);
	json = write_and_parse(sample.arena, json, &secret);
	check_bundle(&secret, certificate(&sample.three), certificate(&sample.two), certificate(&sample.one));
	CU_ASSERT_EQUAL(secret.promoted_at, 0);
	buf_release(&secret.retired);
	json = write_and_parse(sample.arena, json, &secret);
	check_bundle(&secret, certificate(&sample.three), "", "");
	CU_ASSERT_PTR_NULL(strstr(json, "retired.crt"));
	CU_ASSERT_PTR_NULL(strstr(json, "promoted-at"));
}

static void the_view_has_ids_and_dates(void)
{
	CLEANUP(sample_release) struct sample sample;
	CLEANUP(ca_secret_release) struct ca_secret secret;
	struct rotation_view view = {.has_leaf = true, .settled = 7};

	sample_init(&sample);
	ca_secret_init(&secret);
	CU_ASSERT_EQUAL(ca_secret_view(&secret, &view, NULL), 0);
	CU_ASSERT(view.secret == ROTATION_SECRET_MISSING && !view.has_current && !view.has_next && !view.retired_count);
	parse(sample.arena,
	      SECRET_OF(sample.arena, "ca.crt", certificate(&sample.one), "ca.key", key(&sample.one), "next.crt",
			certificate(&sample.two), "next.key", key(&sample.two), "retired.crt",
			certificate(&sample.three), "promoted-at", "2027-01-15T08:00:00Z"),
	      &secret);
	CU_ASSERT_EQUAL(ca_secret_view(&secret, &view, NULL), 0);
	CU_ASSERT(view.secret == ROTATION_SECRET_SOUND && view.has_current && view.has_next);
	CU_ASSERT_EQUAL(view.current.not_after, NOW + DAY);
	CU_ASSERT_EQUAL(view.current.not_before, NOW - MINT_BACKDATE);
	CU_ASSERT_EQUAL(view.next.not_after, NOW + 2 * DAY);
	CU_ASSERT_EQUAL(view.retired_count, 1);
	CU_ASSERT_EQUAL(view.retired[0].not_after, NOW + 3 * DAY);
	CU_ASSERT_EQUAL(view.promoted_at, NOW);
	CU_ASSERT_EQUAL(strlen(view.current.id), 64);
	CU_ASSERT(strcmp(view.current.id, view.next.id) != 0 && strcmp(view.current.id, view.retired[0].id) != 0);
	CU_ASSERT(!view.rotation_asked && view.has_leaf && view.settled == 7);
}

static void what_is_not_ours_stays(void)
{
	static const char *const data[] = {"", ",\"data\":null", ",\"data\":{}", ",\"data\":{\"tls.crt\":\"QUJD\"}",
					   ",\"data\":{\"ca.crt\":\"\",\"next.key\":\"\"},\"more\":[1,{\"a\":null}]"};
	CLEANUP(sample_release) struct sample sample;
	CLEANUP(ca_secret_release) struct ca_secret secret;

	sample_init(&sample);
	ca_secret_init(&secret);
	for (size_t i = 0; i < ARRAY_LEN(data); i++) {
		const char *json = arena_printf(sample.arena, SECRET, data[i]);

		parse(sample.arena, json, &secret);
		CHECK_ROW(secret.state == ROTATION_SECRET_EMPTY, data[i]);
		copy(&secret.next, &sample.one);
		json = write_and_parse(sample.arena, json, &secret);
		CHECK_ROW(secret.state == ROTATION_SECRET_SOUND, data[i]);
		CHECK_ROW(!strstr(data[i], "tls.crt") || strstr(json, "\"tls.crt\":\"QUJD\""), data[i]);
		CHECK_ROW(!strstr(data[i], "more") || strstr(json, "\"more\":[1,{\"a\":null}]"), data[i]);
		CHECK_ROW(!strstr(json, "\"ca.crt\""), data[i]);
		CHECK_ROW(strstr(json, "\"uid\":\"6c7e3b0e") != NULL, data[i]);
	}
}

static void a_rotation_is_asked_for_by_an_annotation(void)
{
	CLEANUP(sample_release) struct sample sample;
	CLEANUP(ca_secret_release) struct ca_secret secret;
	const char *json;

	sample_init(&sample);
	ca_secret_init(&secret);
	json = "{\"kind\":\"Secret\",\"metadata\":{\"annotations\":{\"a/b\":\"c\",\"tfconfig.dev/rotate\":\"\"},"
	       "\"resourceVersion\":\"1\"}}";
	parse(sample.arena, json, &secret);
	CU_ASSERT(secret.rotation_asked && secret.state == ROTATION_SECRET_EMPTY);
	copy(&secret.next, &sample.one);
	json = write_and_parse(sample.arena, json, &secret); /* as if written for another reason */
	CU_ASSERT(secret.rotation_asked);
	secret.rotation_asked = false;
	json = write_and_parse(sample.arena, json, &secret);
	CU_ASSERT(!secret.rotation_asked);
	CU_ASSERT_PTR_NOT_NULL(strstr(json, "\"annotations\":{\"a/b\":\"c\"}"));
}

static void a_patch_fails_if_the_secret_has_changed(void)
{
	CLEANUP(sample_release) struct sample sample;
	CLEANUP(ca_secret_release) struct ca_secret secret;
	CLEANUP(buf_release) struct buf body;
	const char *json;

	sample_init(&sample);
	ca_secret_init(&secret);
	buf_init_secret(&body, BODY_MAX);
	json = arena_printf(sample.arena, SECRET, "");
	parse(sample.arena, json, &secret);
	copy(&secret.next, &sample.one);
	memcpy(secret.version, "4710", sizeof("4710"));
	CU_ASSERT_EQUAL(ca_secret_patch(&secret, &body, NULL), 0);
	CU_ASSERT_PTR_NULL(json_patch_apply(sample.arena, json, buf_string(&body)));
}

/* Which key is to blame, and what is wrong with it. */
static void check_broken(struct arena *arena, const char *json, const char *problem)
{
	CLEANUP(ca_secret_release) struct ca_secret secret;
	CLEANUP(buf_release) struct buf body;
	struct error err = {0};

	ca_secret_init(&secret);
	buf_init_secret(&body, BODY_MAX);
	parse(arena, json, &secret);
	CHECK_ROW(secret.state == ROTATION_SECRET_BROKEN, problem);
	if (strncmp(secret.problem, problem, strlen(problem)) != 0)
		CHECK_STRING(secret.problem, problem);
	CHECK_ROW(!secret.current.certificate.len && !secret.current.key.len && !secret.next.key.len, problem);
	check_bundle(&secret, "", "", "");
	CU_ASSERT_EQUAL(ca_secret_patch(&secret, &body, &err), -1);
	CU_ASSERT_EQUAL(err.code, ERROR_INVALID);
	CHECK_ROW(body.len == 0, problem);
}

static void broken_keys_are_named(void)
{
	CLEANUP(sample_release) struct sample sample;
	struct arena *arena;
	const char *one, *one_key, *two, *two_key, *both;

	sample_init(&sample);
	arena = sample.arena;
	one = certificate(&sample.one);
	one_key = key(&sample.one);
	two = certificate(&sample.two);
	two_key = key(&sample.two);
	both = arena_printf(arena, "%s%s", one, two);
	check_broken(arena, SECRET_OF(arena, "ca.crt", one), "ca.key: it is missing");
	check_broken(arena, SECRET_OF(arena, "ca.crt", one, "ca.key", ""), "ca.key: it is missing");
	check_broken(arena, SECRET_OF(arena, "ca.key", one_key), "ca.crt: it is missing");
	check_broken(arena, SECRET_OF(arena, "next.crt", one), "next.key: it is missing");
	check_broken(arena, SECRET_OF(arena, "next.key", one_key), "next.crt: it is missing");
	check_broken(arena, SECRET_OF(arena, "retired.crt", one), "ca.crt: it is missing");
	check_broken(arena, SECRET_OF(arena, "promoted-at", "2027-01-15T08:00:00Z"), "ca.crt: it is missing");
	check_broken(arena, SECRET_OF(arena, "ca.crt", "garbage", "ca.key", one_key),
		     "ca.crt: it holds something other");
	check_broken(arena, SECRET_OF(arena, "ca.crt", one_key, "ca.key", one), "ca.crt: it holds something other");
	check_broken(arena, SECRET_OF(arena, "ca.crt", " \n", "ca.key", one_key), "ca.crt: it holds no certificate");
	check_broken(arena, SECRET_OF(arena, "ca.crt", both, "ca.key", one_key),
		     "ca.crt: it holds more than 1 certificate");
	check_broken(arena, SECRET_OF(arena, "ca.crt", one, "ca.key", "garbage"), "ca.key: no unencrypted private key");
	check_broken(arena, SECRET_OF(arena, "ca.crt", one, "ca.key", two_key),
		     "ca.key: the private key does not belong");
	check_broken(arena, SECRET_OF(arena, "ca.crt", certificate(&sample.stranger), "ca.key", key(&sample.stranger)),
		     "ca.crt: it holds a certificate of \"somebody's CA\", not of \"tfconfig-webhook CA\"");
	check_broken(arena, SECRET_OF(arena, "ca.crt", one, "ca.key", one_key, "next.crt", two, "next.key", one_key),
		     "next.key: the private key does not belong");
	check_broken(arena,
		     SECRET_OF(arena, "ca.crt", one, "ca.key", one_key, "retired.crt", certificate(&sample.leaf)),
		     "retired.crt: it holds a certificate of \"hook.ml.svc\"");
	check_broken(arena, SECRET_OF(arena, "ca.crt", one, "ca.key", one_key, "retired.crt", two_key),
		     "retired.crt: it holds something other");
	check_broken(arena, SECRET_OF(arena, "ca.crt", one, "ca.key", one_key, "promoted-at", "yesterday"),
		     "promoted-at: it is not a time");
	check_broken(arena, SECRET_OF(arena, "ca.crt", one, "ca.key", one_key, "promoted-at", "2027-01-15T08:00:00Zz"),
		     "promoted-at: it is not a time");
}

static void a_certificate_that_is_not_a_cas_is_named(void)
{
	static const struct service_names names = {.count = 1, .dns = {CA_SECRET_COMMON_NAME}};
	CLEANUP(sample_release) struct sample sample;
	CLEANUP(keypair_release) struct keypair leaf;

	sample_init(&sample);
	keypair_init(&leaf);
	CU_ASSERT_EQUAL(mint_leaf(&sample.one, &names, NOW, NOW + DAY, &leaf, NULL), 0);
	check_broken(sample.arena, SECRET_OF(sample.arena, "ca.crt", certificate(&leaf), "ca.key", key(&leaf)),
		     "ca.crt: it holds a certificate that is not a CA's");
}

static void broken_values_are_named(void)
{
	CLEANUP(sample_release) struct sample sample;
	struct arena *arena;
	const char *many = "";

	sample_init(&sample);
	arena = sample.arena;
	check_broken(arena, arena_printf(arena, SECRET, ",\"data\":{\"ca.key\":\"*\"}"), "ca.key: it is not base64");
	check_broken(arena, arena_printf(arena, SECRET, ",\"data\":{\"ca.crt\":7}"), "ca.crt: it is not base64");
	check_broken(arena, arena_printf(arena, SECRET, ",\"data\":{\"ca.crt\":\"QQBC\"}"),
		     "ca.crt: it holds a NUL character");
	check_broken(arena, arena_printf(arena, SECRET, ",\"data\":[]"), "data: it is not an object");
	check_broken(arena, arena_printf(arena, SECRET, ",\"immutable\":true"), "immutable: nothing can be written");
	for (int i = 0; i < ROTATION_CAS_MAX; i++)
		many = arena_printf(arena, "%s%s", many, certificate(&sample.two));
	check_broken(
		arena,
		SECRET_OF(arena, "ca.crt", certificate(&sample.one), "ca.key", key(&sample.one), "retired.crt", many),
		"retired.crt: it holds more than 7 certificates");
	for (int i = 0; i < 8; i++)
		many = arena_printf(arena, "%s%s", many, many);
	check_broken(arena, SECRET_OF(arena, "ca.crt", many, "ca.key", key(&sample.one)), "ca.crt: it is too large");
	check_broken(arena, SECRET_OF(arena, "ca.crt", certificate(&sample.one), "ca.key", many),
		     "ca.key: it is too large");
}

static void no_key_is_in_a_message(void)
{
	CLEANUP(sample_release) struct sample sample;
	CLEANUP(ca_secret_release) struct ca_secret secret;
	const char *body;

	sample_init(&sample);
	ca_secret_init(&secret);
	body = strchr(key(&sample.two), '\n') + 1;
	parse(sample.arena, SECRET_OF(sample.arena, "ca.crt", certificate(&sample.one), "ca.key", body), &secret);
	CU_ASSERT_EQUAL(secret.state, ROTATION_SECRET_BROKEN);
	for (size_t i = 0; i + 8 < strlen(body); i++) {
		char part[9] = "";

		memcpy(part, body + i, 8);
		CU_ASSERT_PTR_NULL(strstr(secret.problem, part));
	}
	CU_ASSERT(secret.current.key.secret && secret.next.key.secret);
}

static void what_is_not_a_secret_is_refused(void)
{
	static const char *const texts[] = {
		"",
		"null",
		"[]",
		"{}",
		"{\"kind\":\"Secret\"}",
		"{\"kind\":\"Secret\",\"metadata\":{}}",
		"{\"kind\":\"Secret\",\"metadata\":{\"resourceVersion\":\"\"}}",
		"{\"kind\":\"Secret\",\"metadata\":{\"resourceVersion\":1}}",
		"{\"kind\":\"Secret\",\"metadata\":{\"resourceVersion\":\"1\\\"\"}}",
		"{\"kind\":\"ConfigMap\",\"metadata\":{\"resourceVersion\":\"1\"}}",
		"{\"kind\":\"SecretList\",\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[]}",
		"{\"metadata\":{\"resourceVersion\":\"1\"}}",
		"{\"kind\":\"Secret\",\"metadata\":{\"resourceVersion\":\"1\"}",
	};
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);
	struct ca_secret secret;

	ca_secret_init(&secret);
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct error err = {0};

		CHECK_ROW(ca_secret_parse(arena, texts[i], strlen(texts[i]), &secret, &err) < 0, texts[i]);
		CHECK_ROW(err.code == ERROR_INVALID && strstr(err.message, "Secret"), texts[i]);
		CHECK_ROW(secret.state == ROTATION_SECRET_MISSING && !secret.version[0], texts[i]);
	}
	unit_arena_end(&unit);
}

static void a_full_arena_is_not_a_broken_secret(void)
{
	static char memory[64 * 1024];
	CLEANUP(sample_release) struct sample sample;
	CLEANUP(ca_secret_release) struct ca_secret secret;
	const char *json;
	size_t size = 256;
	int result = -1;

	sample_init(&sample);
	ca_secret_init(&secret);
	json = SECRET_OF(sample.arena, "ca.crt", certificate(&sample.one), "ca.key", key(&sample.one), "retired.crt",
			 certificate(&sample.two));
	for (; result < 0 && size < sizeof(memory); size += 256) {
		struct arena small;
		struct error err = {0};

		arena_init_fixed(&small, memory, size);
		result = ca_secret_parse(&small, json, strlen(json), &secret, &err);
		if (result < 0)
			CU_ASSERT(err.code == ERROR_NO_MEMORY && secret.state == ROTATION_SECRET_MISSING);
	}
	CU_ASSERT(result == 0 && secret.state == ROTATION_SECRET_SOUND);
	CU_ASSERT(size > 4096);
	CU_ASSERT(arena_enter(sample.arena) == sample.arena); /* the thread's arena is its own again */
}

/* Any byte changed, cut off or doubled: it is read, refused or broken, but what is sound is a pair. */
static void garbage_does_no_harm(void)
{
	CLEANUP(sample_release) struct sample sample;
	CLEANUP(ca_secret_release) struct ca_secret secret;
	const char *json;
	uint64_t state = 1;
	size_t len;

	sample_init(&sample);
	ca_secret_init(&secret);
	json = SECRET_OF(sample.arena, "ca.crt", certificate(&sample.one), "ca.key", key(&sample.one), "next.crt",
			 certificate(&sample.two), "next.key", key(&sample.two));
	len = strlen(json);
	for (int i = 0; i < 200; i++) {
		char *text = arena_strndup(sample.arena, json, len);
		size_t at;

		state = state * 6364136223846793005u + 1442695040888963407u;
		at = (size_t)(state >> 33) % len;
		text[at] = (char)(i % 3 ? state >> 25 : 0);
		if (ca_secret_parse(sample.arena, text, i % 3 ? len : at, &secret, NULL) < 0)
			continue;
		CU_ASSERT(secret.state != ROTATION_SECRET_MISSING);
		if (secret.state == ROTATION_SECRET_SOUND && secret.current.key.len)
			CU_ASSERT_EQUAL(keypair_check(&secret.current, NULL), 0);
	}
}

static void an_empty_secret_is_created_by_name(void)
{
	CLEANUP(buf_release) struct buf body;
	struct error err = {0};

	buf_init(&body, BODY_MAX);
	CU_ASSERT_EQUAL(ca_secret_empty("tfconfig-system", "tfconfig-webhook-ca", &body, NULL), 0);
	CHECK_STRING(buf_string(&body),
		     "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":"
		     "\"tfconfig-webhook-ca\",\"namespace\":\"tfconfig-system\"},\"type\":\"Opaque\"}");
	CU_ASSERT_EQUAL(ca_secret_empty("a\"", "b", &body, &err), -1);
	CU_ASSERT_EQUAL(ca_secret_empty("a", "b\"", &body, &err), -1);
	CU_ASSERT_EQUAL(err.code, ERROR_INVALID);
}

static void adopted_cas_wait_for_a_promotion(void)
{
	CLEANUP(sample_release) struct sample sample;
	CLEANUP(ca_secret_release) struct ca_secret secret;
	CLEANUP(buf_release) struct buf retired;

	sample_init(&sample);
	ca_secret_init(&secret);
	buf_init(&retired, CA_SECRET_RETIRED_MAX);
	parse(sample.arena, SECRET_OF(sample.arena, "next.crt", certificate(&sample.two), "next.key", key(&sample.two)),
	      &secret);
	secret.promoted_at = NOW;
	buf_add_string(&retired, certificate(&sample.one));
	ca_secret_adopt(&secret, &retired);
	CU_ASSERT(secret.promoted_at == 0 && retired.len == 0);
	check_bundle(&secret, certificate(&sample.two), certificate(&sample.one), "");
}

int add_ca_secret_suite(void)
{
	static const struct unit_test tests[] = {
		{"a life of a Secret", a_life_of_a_secret},
		{"the view has ids and dates", the_view_has_ids_and_dates},
		{"what is not ours stays", what_is_not_ours_stays},
		{"a rotation is asked for by an annotation", a_rotation_is_asked_for_by_an_annotation},
		{"a patch fails if the Secret has changed", a_patch_fails_if_the_secret_has_changed},
		{"broken keys are named", broken_keys_are_named},
		{"a certificate that is not a CA's is named", a_certificate_that_is_not_a_cas_is_named},
		{"broken values are named", broken_values_are_named},
		{"no key is in a message", no_key_is_in_a_message},
		{"what is not a Secret is refused", what_is_not_a_secret_is_refused},
		{"a full arena is not a broken Secret", a_full_arena_is_not_a_broken_secret},
		{"garbage does no harm", garbage_does_no_harm},
		{"an empty Secret is created by name", an_empty_secret_is_created_by_name},
		{"adopted CAs wait for a promotion", adopted_cas_wait_for_a_promotion},
		{NULL, NULL},
	};

	return add_suite("ca_secret", tests);
}
