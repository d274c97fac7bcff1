/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/base64.h"
#include "base/buf.h"
#include "cmd/commands.h"
#include "cmd/options.h"
#include "pki/keypair.h"
#include "pki/mint.h"
#include "pki/service_names.h"
#include "sys/private_folder.h"

enum {
	SECONDS_PER_DAY = 24 * 60 * 60,
	DAYS_MAX = 3650,
};

struct certs_settings {
	const char *out;
	const char *service;
	const char *namespace;
	const char *cluster_domain;
	unsigned days;
	bool force;
	bool print_ca_bundle;
};

static const struct option option_table[] = {
	{.flag = "--out",
	 .type = OPTION_STRING,
	 .offset = offsetof(struct certs_settings, out),
	 .value = "DIR",
	 .help = "the folder for ca.crt, ca.key, tls.crt and tls.key; created if missing",
	 .required = true},
	{.flag = "--service",
	 .type = OPTION_NAME,
	 .offset = offsetof(struct certs_settings, service),
	 .value = "NAME",
	 .help = "the webhook's Service"},
	{.flag = "--namespace",
	 .type = OPTION_NAME,
	 .offset = offsetof(struct certs_settings, namespace),
	 .value = "NS",
	 .help = "the namespace of the Service"},
	{.flag = "--cluster-domain",
	 .type = OPTION_DOMAIN,
	 .offset = offsetof(struct certs_settings, cluster_domain),
	 .fallback = "",
	 .value = "DOMAIN",
	 .help = "the cluster's DNS domain, for one more name in the certificate"},
	{.flag = "--days",
	 .type = OPTION_COUNT,
	 .offset = offsetof(struct certs_settings, days),
	 .fallback = "365",
	 .value = "N",
	 .help = "how long both certificates are valid, 1 to 3650 days",
	 .min = 1,
	 .max = DAYS_MAX},
	{.flag = "--force",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct certs_settings, force),
	 .help = "replace existing files"},
	{.flag = "--print-ca-bundle",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct certs_settings, print_ca_bundle),
	 .help = "print the CA as a webhook's caBundle; with only --out, that of the folder, and nothing is minted"},
	{0},
};

static const char usage[] =
	"Usage: tfconfig-webhook certs --out DIR --service NAME --namespace NS [flags]\n"
	"       tfconfig-webhook certs --out DIR --print-ca-bundle\n\n"
	"Mints a CA and a serving certificate that it signs. Existing files are kept unless --force is given.\n";

/* One line, as the caBundle of a webhook configuration requires. */
static int print_bundle(const struct buf *ca, struct error *err)
{
	char memory[2 * KEYPAIR_CERTIFICATE_MAX];
	struct arena arena;
	const char *base64;

	arena_init_fixed(&arena, memory, sizeof(memory));
	base64 = base64_encode(&arena, buf_string(ca), ca->len);
	if (!base64)
		return error_set(err, ERROR_NO_MEMORY, "no memory for a bundle of %zu bytes", ca->len);
	puts(base64);
	return 0;
}

static int print_existing_bundle(const char *path, time_t now, struct error *err)
{
	CLEANUP(private_folder_release) struct private_folder folder = {.fd = -1};
	CLEANUP(buf_release) struct buf ca = {0};
	struct keypair_dates dates;

	buf_init(&ca, KEYPAIR_CERTIFICATE_MAX);
	if (private_folder_open(&folder, path, false, err) < 0 || private_folder_read(&folder, "ca.crt", &ca, err) < 0)
		return -1;
	if (keypair_read_dates(&ca, &dates, err) < 0)
		return error_prefix(err, "%s/ca.crt", path);
	if (dates.not_after < now)
		fprintf(stderr, "tfconfig-webhook certs: %s/ca.crt has expired: mint new files with --force\n", path);
	return print_bundle(&ca, err);
}

static int mint(const struct certs_settings *settings, time_t now, struct keypair *ca, struct keypair *leaf,
		struct error *err)
{
	const time_t not_after = now + (time_t)settings->days * SECONDS_PER_DAY;
	struct service_names names;

	if (service_names_init(&names, settings->service, settings->namespace, settings->cluster_domain, err) < 0 ||
	    mint_ca(MINT_CA_NAME, now, not_after, ca, err) < 0 || mint_leaf(ca, &names, now, not_after, leaf, err) < 0)
		return -1;
	/* A pair that does not work should fail here, not at the API server. */
	return keypair_check(leaf, err);
}

static int write_files(const struct certs_settings *settings, const struct keypair *ca, const struct keypair *leaf,
		       struct error *err)
{
	CLEANUP(private_folder_release) struct private_folder folder = {.fd = -1};
	const struct private_folder_file files[] = {
		{"ca.crt", &ca->certificate},
		{"ca.key", &ca->key},
		{"tls.crt", &leaf->certificate},
		{"tls.key", &leaf->key},
	};

	if (private_folder_open(&folder, settings->out, true, err) < 0)
		return -1;
	if (private_folder_write(&folder, files, ARRAY_LEN(files), settings->force, err) < 0)
		return settings->force ? -1 : error_prefix(err, "nothing written, only --force replaces files");
	return 0;
}

/* For a person. Not next to a bundle, which has stdout to itself so that a shell can capture it. */
static int print_summary(const struct certs_settings *settings, const struct keypair *leaf, struct error *err)
{
	struct keypair_dates dates;
	struct tm tm;
	char until[sizeof("9999-12-31")];

	if (keypair_read_dates(&leaf->certificate, &dates, err) < 0)
		return -1;
	strftime(until, sizeof(until), "%Y-%m-%d", gmtime_r(&dates.not_after, &tm));
	printf("%s: wrote ca.crt, ca.key, tls.crt and tls.key for %s.%s.svc, valid until %s\n", settings->out,
	       settings->service, settings->namespace, until);
	return 0;
}

static int mint_into_folder(const struct certs_settings *settings, time_t now, struct error *err)
{
	CLEANUP(keypair_release) struct keypair ca = {0};
	CLEANUP(keypair_release) struct keypair leaf = {0};

	keypair_init(&ca);
	keypair_init(&leaf);
	if (mint(settings, now, &ca, &leaf, err) < 0 || write_files(settings, &ca, &leaf, err) < 0)
		return -1;
	if (settings->print_ca_bundle)
		return print_bundle(&ca.certificate, err);
	return print_summary(settings, &leaf, err);
}

/* True if the command line holds nothing but --out and --print-ca-bundle. */
static bool wants_bundle_alone(const struct options *options, const struct certs_settings *settings)
{
	size_t given = 0;

	for (size_t i = 0; option_table[i].flag; i++)
		given += options->source[i] == OPTION_FROM_FLAG;
	return settings->print_ca_bundle && given == 2;
}

static int run(const struct options *options, const struct certs_settings *settings, struct error *err)
{
	const time_t now = time(NULL);
	int result;

	if (wants_bundle_alone(options, settings))
		result = print_existing_bundle(settings->out, now, err);
	else if (!settings->service || !settings->namespace)
		return error_set(err, ERROR_USAGE, "%s is missing: minting needs --service and --namespace",
				 settings->service ? "--namespace" : "--service");
	else
		result = mint_into_folder(settings, now, err);
	if (result == 0 && fflush(stdout) != 0)
		return error_set(err, ERROR_SYSTEM, "can't write to stdout: %s", strerror(errno));
	return result;
}

int cmd_certs(int argc, char **argv)
{
	struct certs_settings settings = {0};
	struct options options = {.table = option_table, .usage = usage, .settings = &settings};
	struct error err;

	if (options_help(&options, argc, argv))
		return EXIT_OK;
	if (options_parse(&options, argc, argv, &err) < 0 || run(&options, &settings, &err) < 0)
		return command_failed("certs", &err);
	return EXIT_OK;
}
