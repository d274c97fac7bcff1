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

struct certs_options {
	const char *out;
	const char *service;
	const char *namespace;
	const char *cluster_domain;
	unsigned days;
	bool force;
	bool print_ca_bundle;
};

static const struct option options_table[] = {
	{.flag = "--out",
	 .type = OPTION_STRING,
	 .offset = offsetof(struct certs_options, out),
	 .value = "DIR",
	 .help = "the folder for ca.crt, ca.key, tls.crt and tls.key; made where it is missing",
	 .required = true},
	{.flag = "--service",
	 .type = OPTION_NAME,
	 .offset = offsetof(struct certs_options, service),
	 .value = "NAME",
	 .help = "the webhook's Service"},
	{.flag = "--namespace",
	 .type = OPTION_NAME,
	 .offset = offsetof(struct certs_options, namespace),
	 .value = "NS",
	 .help = "the namespace of the Service"},
	{.flag = "--cluster-domain",
	 .type = OPTION_DOMAIN,
	 .offset = offsetof(struct certs_options, cluster_domain),
	 .fallback = "",
	 .value = "DOMAIN",
	 .help = "the cluster's DNS domain, for one more name in the certificate"},
	{.flag = "--days",
	 .type = OPTION_COUNT,
	 .offset = offsetof(struct certs_options, days),
	 .fallback = "365",
	 .value = "N",
	 .help = "how long both certificates are valid, 1 to 3650 days",
	 .min = 1,
	 .max = DAYS_MAX},
	{.flag = "--force",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct certs_options, force),
	 .help = "replace files that are there"},
	{.flag = "--print-ca-bundle",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct certs_options, print_ca_bundle),
	 .help = "print the CA as a webhook's caBundle; with --out alone that of the folder, minting nothing"},
	{0},
};

static const char usage[] =
	"Usage: tfconfig-webhook certs --out DIR --service NAME --namespace NS [flags]\n"
	"       tfconfig-webhook certs --out DIR --print-ca-bundle\n\n"
	"Mints a CA and a serving certificate that it signs. Files that are there are kept unless --force is\n"
	"given.\n";

/* One line, as the field caBundle of a webhook configuration wants it. */
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
	struct private_folder folder CLEANUP(private_folder_release) = {.fd = -1};
	struct buf ca CLEANUP(buf_release) = {0};
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

static int mint(const struct certs_options *options, time_t now, struct keypair *ca, struct keypair *leaf,
		struct error *err)
{
	const time_t not_after = now + (time_t)options->days * SECONDS_PER_DAY;
	struct service_names names;

	if (service_names_init(&names, options->service, options->namespace, options->cluster_domain, err) < 0 ||
	    mint_ca(MINT_CA_NAME, now, not_after, ca, err) < 0 || mint_leaf(ca, &names, now, not_after, leaf, err) < 0)
		return -1;
	/* A pair that does not work is noticed here, not by the API server. */
	return keypair_check(leaf, err);
}

static int write_files(const struct certs_options *options, const struct keypair *ca, const struct keypair *leaf,
		       struct error *err)
{
	struct private_folder folder CLEANUP(private_folder_release) = {.fd = -1};
	const struct private_folder_file files[] = {
		{"ca.crt", &ca->certificate},
		{"ca.key", &ca->key},
		{"tls.crt", &leaf->certificate},
		{"tls.key", &leaf->key},
	};

	if (private_folder_open(&folder, options->out, true, err) < 0)
		return -1;
	if (private_folder_write(&folder, files, ARRAY_LEN(files), options->force, err) < 0)
		return options->force ? -1 : error_prefix(err, "nothing written, only --force replaces files");
	return 0;
}

/* For people; a bundle has stdout for itself, so that a shell can take it. */
static int print_summary(const struct certs_options *options, const struct keypair *leaf, struct error *err)
{
	struct keypair_dates dates;
	struct tm tm;
	char until[sizeof("9999-12-31")];

	if (keypair_read_dates(&leaf->certificate, &dates, err) < 0)
		return -1;
	strftime(until, sizeof(until), "%Y-%m-%d", gmtime_r(&dates.not_after, &tm));
	printf("%s: wrote ca.crt, ca.key, tls.crt and tls.key for %s.%s.svc, valid until %s\n", options->out,
	       options->service, options->namespace, until);
	return 0;
}

static int mint_into_folder(const struct certs_options *options, time_t now, struct error *err)
{
	struct keypair ca CLEANUP(keypair_release) = {0};
	struct keypair leaf CLEANUP(keypair_release) = {0};

	keypair_init(&ca);
	keypair_init(&leaf);
	if (mint(options, now, &ca, &leaf, err) < 0 || write_files(options, &ca, &leaf, err) < 0)
		return -1;
	if (options->print_ca_bundle)
		return print_bundle(&ca.certificate, err);
	return print_summary(options, &leaf, err);
}

/* True where the command line holds nothing but --out and --print-ca-bundle. */
static bool wants_bundle_alone(const struct options *parsed, const struct certs_options *options)
{
	size_t given = 0;

	for (size_t i = 0; options_table[i].flag; i++)
		given += parsed->source[i] == OPTION_FROM_FLAG;
	return options->print_ca_bundle && given == 2;
}

static int run(int argc, char **argv, struct error *err)
{
	struct certs_options options = {0};
	struct options parsed;
	time_t now = time(NULL);
	int result;

	if (options_parse(&parsed, options_table, NULL, argc, argv, &options, err) < 0)
		return -1;
	if (wants_bundle_alone(&parsed, &options))
		result = print_existing_bundle(options.out, now, err);
	else if (!options.service || !options.namespace)
		return error_set(err, ERROR_USAGE, "%s is missing: minting needs --service and --namespace",
				 options.service ? "--namespace" : "--service");
	else
		result = mint_into_folder(&options, now, err);
	if (result == 0 && fflush(stdout) != 0)
		return error_set(err, ERROR_SYSTEM, "can't write to stdout: %s", strerror(errno));
	return result;
}

int cmd_certs(int argc, char **argv)
{
	struct error err = {0};

	if (options_help(argc, argv, usage, options_table, NULL))
		return EXIT_OK;
	return run(argc, argv, &err) < 0 ? command_failed("certs", &err) : EXIT_OK;
}
