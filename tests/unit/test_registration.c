/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <string.h>

#include "base/base64.h"
#include "json_patch.h"
#include "rotation/registration.h"
#include "suites.h"
#include "unit.h"

enum {
	NOW = 1800000000,
	DAY = 24 * 60 * 60,
	CAS = ROTATION_CAS_MAX + 1,
	TEXT_MAX = 1024 * 1024,
};

/* As the API server writes it, in short. %s: the webhooks. */
#define REGISTRATION                                                                                                   \
	"{\"kind\":\"MutatingWebhookConfiguration\",\"apiVersion\":\"admissionregistration.k8s.io/v1\",\"metadata\":{" \
	"\"name\":\"tfconfig-webhook\",\"resourceVersion\":\"815\",\"generation\":3,\"labels\":{\"a/b\":\"c\"}},"      \
	"\"webhooks\":[%s]}"

/* %s: the name, and the caBundle followed by a comma, or nothing. */
#define WEBHOOK                                                                                       \
	"{\"name\":\"%s\",\"clientConfig\":{\"service\":{\"namespace\":\"tfconfig-system\",\"name\":" \
	"\"tfconfig-webhook\",\"path\":\"/mutate\",\"port\":443}%s},\"failurePolicy\":\"Fail\",\"timeoutSeconds\":5}"

#define SETS "statefulsets.tfconfig.dev"
#define PODS "pods.tfconfig.dev"

/* CAs of ours, each a second younger than the one before; one of another name; and a leaf. */
struct sample {
	struct unit_arena unit;
	struct arena *arena;
	struct keypair cas[CAS];
	struct keypair stranger, leaf;
};

static void sample_init(struct sample *sample)
{
	/* By its name a CA of ours, but none. */
	static const struct service_names names = {.count = 1, .dns = {CA_SECRET_COMMON_NAME}};

	sample->arena = unit_arena_begin(&sample->unit);
	keypair_init(&sample->stranger);
	keypair_init(&sample->leaf);
	for (int i = 0; i < CAS; i++) {
		keypair_init(&sample->cas[i]);
		CU_ASSERT_EQUAL(mint_ca(CA_SECRET_COMMON_NAME, NOW + i, NOW + DAY, &sample->cas[i], NULL), 0);
	}
	CU_ASSERT_EQUAL(mint_ca("somebody's CA", NOW, NOW + DAY, &sample->stranger, NULL), 0);
	CU_ASSERT_EQUAL(mint_leaf(&sample->cas[0], &names, NOW, NOW + DAY, &sample->leaf, NULL), 0);
}

static void sample_release(struct sample *sample)
{
	for (int i = 0; i < CAS; i++)
		keypair_release(&sample->cas[i]);
	keypair_release(&sample->stranger);
	keypair_release(&sample->leaf);
	unit_arena_end(&sample->unit);
}

static const char *ca(const struct sample *sample, int i)
{
	return buf_string(&sample->cas[i].certificate);
}

static const char *webhook(struct arena *arena, const char *name, const char *bundle)
{
	const char *base64 = base64_encode(arena, bundle, strlen(bundle));

	return arena_printf(arena, WEBHOOK, name, bundle[0] ? arena_printf(arena, ",\"caBundle\":\"%s\"", base64) : "");
}

/* Both of our webhooks, with these bundles. */
static const char *registration_of(struct arena *arena, const char *sets_bundle, const char *pods_bundle)
{
	return arena_printf(
		arena, REGISTRATION,
		arena_printf(arena, "%s,%s", webhook(arena, SETS, sets_bundle), webhook(arena, PODS, pods_bundle)));
}

static void parse(struct arena *arena, const char *json, struct registration *registration)
{
	struct error err = {0};

	CU_ASSERT_EQUAL(registration_parse(arena, json, strlen(json), registration, &err), 0);
	CHECK_STRING(err.message, "");
}

static void each_webhook_has_its_bundle(void)
{
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);
	struct registration registration;

	parse(arena, registration_of(arena, "one", "two"), &registration);
	CHECK_STRING(registration.version, "815");
	CU_ASSERT(registration.complete && !registration.missing);
	CU_ASSERT_EQUAL(registration.count, 2);
	CHECK_STRING(registration.webhooks[0].name, SETS);
	CHECK_STRING(registration.webhooks[0].bundle, "one");
	CHECK_STRING(registration.webhooks[1].name, PODS);
	CHECK_STRING(registration.webhooks[1].bundle, "two");
	CU_ASSERT(!registration_has(&registration, "one"));
	parse(arena, registration_of(arena, "one", "one"), &registration);
	CU_ASSERT(registration_has(&registration, "one"));
	CU_ASSERT(!registration_has(&registration, "on"));
	CU_ASSERT(!registration_has(&registration, "two"));
	parse(arena, registration_of(arena, "", ""), &registration);
	CU_ASSERT(!registration_has(&registration, ""));
	CU_ASSERT(!registration_has(&(struct registration){0}, "one"));
	unit_arena_end(&unit);
}

static void a_webhook_that_is_not_there_is_named(void)
{
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);
	struct registration registration;

	parse(arena, arena_printf(arena, REGISTRATION, ""), &registration);
	CU_ASSERT(!registration.complete && registration.count == 0);
	CHECK_STRING(registration.missing, SETS);
	parse(arena, arena_printf(arena, REGISTRATION, webhook(arena, SETS, "one")), &registration);
	CU_ASSERT(!registration.complete);
	CHECK_STRING(registration.missing, PODS);
	CU_ASSERT(registration_has(&registration, "one"));
	parse(arena,
	      "{\"kind\":\"MutatingWebhookConfiguration\",\"metadata\":{\"resourceVersion\":\"1\"},\"webhooks\":null}",
	      &registration);
	CHECK_STRING(registration.missing, SETS);
	unit_arena_end(&unit);
}

static void an_invalid_bundle_counts_as_empty(void)
{
	static const char *const bundles[] = {",\"caBundle\":null", ",\"caBundle\":7", ",\"caBundle\":\"*\"",
					      ",\"caBundle\":\"QQBC\"", ",\"caBundle\":\"QQ\""};
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);
	struct registration registration;

	for (size_t i = 0; i < ARRAY_LEN(bundles); i++) {
		parse(arena, arena_printf(arena, REGISTRATION, arena_printf(arena, WEBHOOK, SETS, bundles[i])),
		      &registration);
		CHECK_STRING(registration.webhooks[0].bundle, "");
	}
	unit_arena_end(&unit);
}

/* The text after the patch, NULL if it does not apply. */
static const char *patched(struct arena *arena, const char *json, const struct registration *registration,
			   const char *bundle)
{
	CLEANUP(buf_release) struct buf body;

	buf_init(&body, TEXT_MAX);
	CU_ASSERT_EQUAL(registration_patch(arena, registration, bundle, &body, NULL), 0);
	return json_patch_apply(arena, json, buf_string(&body));
}

static void a_patch_gives_every_webhook_the_bundle(void)
{
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);
	struct registration registration;
	const char *json = registration_of(arena, "", "other");
	const char *result;

	parse(arena, json, &registration);
	result = patched(arena, json, &registration, "new");
	CHECK_STRING(result, registration_of(arena, "new", "new"));
	/* Webhooks beside ours are of the same configuration, so they call us too. */
	json = arena_printf(arena, REGISTRATION,
			    arena_printf(arena, "%s,%s,%s", webhook(arena, "more.tfconfig.dev", ""),
					 webhook(arena, PODS, "x"), webhook(arena, SETS, "y")));
	parse(arena, json, &registration);
	CU_ASSERT(registration.complete);
	result = patched(arena, json, &registration, "new");
	CU_ASSERT_PTR_NOT_NULL(result);
	if (result)
		parse(arena, result, &registration);
	CU_ASSERT(registration.count == 3 && registration_has(&registration, "new"));
	unit_arena_end(&unit);
}

static void a_patch_fails_if_something_has_changed(void)
{
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);
	struct registration registration;
	const char *json = registration_of(arena, "one", "one");

	parse(arena, json, &registration);
	memcpy(registration.version, "814", sizeof("814"));
	CU_ASSERT_PTR_NULL(patched(arena, json, &registration, "new"));
	parse(arena, json, &registration);
	registration.webhooks[1].name = "moved.tfconfig.dev";
	CU_ASSERT_PTR_NULL(patched(arena, json, &registration, "new"));
	unit_arena_end(&unit);
}

/* What is foreign to the Secret, with the number of those that are new to it. */
static void check_foreign(const struct sample *sample, const char *json, const struct ca_secret *secret, int count,
			  const char *expected)
{
	CLEANUP(buf_release) struct buf retired;
	struct registration registration;

	buf_init(&retired, CA_SECRET_RETIRED_MAX);
	parse(sample->arena, json, &registration);
	CU_ASSERT_EQUAL(registration_foreign(&registration, secret, &retired, NULL), count);
	CHECK_STRING(buf_string(&retired), expected);
}

static void our_cas_are_foreign_once(void)
{
	CLEANUP(sample_release) struct sample sample;
	CLEANUP(ca_secret_release) struct ca_secret secret;
	struct arena *arena;
	const char *sets_bundle, *pods_bundle;

	sample_init(&sample);
	arena = sample.arena;
	ca_secret_init(&secret);
	sets_bundle = arena_printf(arena, "# a comment\n%s%s%s", ca(&sample, 1),
				   buf_string(&sample.stranger.certificate), ca(&sample, 3));
	pods_bundle = arena_printf(arena, "%s%sgarbage%s", ca(&sample, 2), buf_string(&sample.leaf.certificate),
				   ca(&sample, 1));
	check_foreign(&sample, registration_of(arena, sets_bundle, pods_bundle), &secret, 3,
		      arena_printf(arena, "%s%s%s", ca(&sample, 3), ca(&sample, 2), ca(&sample, 1)));
	check_foreign(&sample, registration_of(arena, "garbage", ""), &secret, 0, "");
	/* What the Secret knows is not foreign; what it retired stays. */
	secret.state = ROTATION_SECRET_SOUND;
	buf_add_string(&secret.next.certificate, ca(&sample, 3));
	buf_add_string(&secret.current.certificate, ca(&sample, 1));
	buf_add_string(&secret.retired, ca(&sample, 0));
	check_foreign(&sample, registration_of(arena, sets_bundle, pods_bundle), &secret, 1,
		      arena_printf(arena, "%s%s", ca(&sample, 2), ca(&sample, 0)));
	buf_add_string(&secret.retired, ca(&sample, 2));
	check_foreign(&sample, registration_of(arena, sets_bundle, pods_bundle), &secret, 0,
		      arena_printf(arena, "%s%s", ca(&sample, 2), ca(&sample, 0)));
}

static void the_newest_have_the_room(void)
{
	CLEANUP(sample_release) struct sample sample;
	CLEANUP(ca_secret_release) struct ca_secret secret;
	const char *all = "";
	const char *newest = "";

	sample_init(&sample);
	ca_secret_init(&secret);
	for (int i = 0; i < CAS; i++)
		all = arena_printf(sample.arena, "%s%s", all, ca(&sample, i));
	for (int i = CAS - 1; i > CAS - ROTATION_CAS_MAX; i--)
		newest = arena_printf(sample.arena, "%s%s", newest, ca(&sample, i));
	check_foreign(&sample, registration_of(sample.arena, all, all), &secret, ROTATION_CAS_MAX - 1, newest);
	/* If the newest are retired already, nothing is new. */
	buf_add_string(&secret.retired, newest);
	check_foreign(&sample, registration_of(sample.arena, all, all), &secret, 0, newest);
}

static void what_is_not_a_registration_is_refused(void)
{
#define REGISTERED "{\"kind\":\"MutatingWebhookConfiguration\",\"metadata\":{\"resourceVersion\":\"1\"},"
	static const char *const texts[] = {
		"",
		"[]",
		"{}",
		"{\"kind\":\"MutatingWebhookConfiguration\",\"metadata\":{},\"webhooks\":[]}",
		"{\"kind\":\"MutatingWebhookConfigurationList\",\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[]}",
		"{\"kind\":\"ValidatingWebhookConfiguration\",\"metadata\":{\"resourceVersion\":\"1\"}}",
		REGISTERED "\"webhooks\":[{}]}",
		REGISTERED "\"webhooks\":[7]}",
		REGISTERED "\"webhooks\":[{\"name\":\"\"}]}",
	};
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);
	struct registration registration = {.count = 7};
	const char *many = webhook(arena, "a", "");
	struct error err = {0};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		CHECK_ROW(registration_parse(arena, texts[i], strlen(texts[i]), &registration, &err) < 0, texts[i]);
		CHECK_ROW(err.code == ERROR_INVALID && strstr(err.message, "MutatingWebhookConfiguration"), texts[i]);
	}
	for (int i = 0; i < REGISTRATION_WEBHOOKS_MAX; i++)
		many = arena_printf(arena, "%s,%s", many, webhook(arena, "a", ""));
	many = arena_printf(arena, REGISTRATION, many);
	CU_ASSERT_EQUAL(registration_parse(arena, many, strlen(many), &registration, &err), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "more than 16 webhooks"));
	CU_ASSERT_EQUAL(registration.count, 7); /* untouched by the failures */
	unit_arena_end(&unit);
}

static void a_full_arena_is_reported(void)
{
	static char memory[32 * 1024];
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);
	CLEANUP(buf_release) struct buf body;
	const char *json = registration_of(arena, "one", "two");
	int result = -1;

	buf_init(&body, TEXT_MAX);
	for (size_t size = 256; result < 0 && size < sizeof(memory); size += 256) {
		struct registration registration;
		struct arena small;
		struct error err = {0};

		arena_init_fixed(&small, memory, size);
		result = registration_parse(&small, json, strlen(json), &registration, &err);
		if (result == 0)
			result = registration_patch(&small, &registration, "new", &body, &err);
		if (result < 0)
			CU_ASSERT(err.code == ERROR_NO_MEMORY && body.len == 0);
	}
	CU_ASSERT_EQUAL(result, 0);
	CU_ASSERT_PTR_NOT_NULL(json_patch_apply(arena, json, buf_string(&body)));
	unit_arena_end(&unit);
}

static void garbage_does_no_harm(void)
{
	CLEANUP(sample_release) struct sample sample;
	CLEANUP(ca_secret_release) struct ca_secret secret;
	const char *json;
	uint64_t state = 2;
	size_t len;

	sample_init(&sample);
	ca_secret_init(&secret);
	json = registration_of(sample.arena, ca(&sample, 0), ca(&sample, 1));
	len = strlen(json);
	for (int i = 0; i < 500; i++) {
		char *text = arena_strndup(sample.arena, json, len);
		CLEANUP(buf_release) struct buf retired;
		struct registration registration;
		size_t at;

		buf_init(&retired, CA_SECRET_RETIRED_MAX);
		state = state * 6364136223846793005u + 1442695040888963407u;
		at = (size_t)(state >> 33) % len;
		text[at] = (char)(i % 3 ? state >> 25 : 0);
		if (registration_parse(sample.arena, text, i % 3 ? len : at, &registration, NULL) == 0)
			CU_ASSERT(registration_foreign(&registration, &secret, &retired, NULL) <= 2);
	}
}

int add_registration_suite(void)
{
	static const struct unit_test tests[] = {
		{"each webhook has its bundle", each_webhook_has_its_bundle},
		{"a webhook that is not there is named", a_webhook_that_is_not_there_is_named},
		{"an invalid bundle counts as empty", an_invalid_bundle_counts_as_empty},
		{"a patch gives every webhook the bundle", a_patch_gives_every_webhook_the_bundle},
		{"a patch fails if something has changed", a_patch_fails_if_something_has_changed},
		{"our CAs are foreign once", our_cas_are_foreign_once},
		{"the newest have the room", the_newest_have_the_room},
		{"what is not a registration is refused", what_is_not_a_registration_is_refused},
		{"a full arena is reported", a_full_arena_is_reported},
		{"garbage does no harm", garbage_does_no_harm},
		{NULL, NULL},
	};

	return add_suite("registration", tests);
}
