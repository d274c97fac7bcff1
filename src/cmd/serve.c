/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "cmd/commands.h"
#include "cmd/options.h"
#include "core/limits.h"
#include "kube/in_cluster.h"
#include "net/certificate_files.h"
#include "net/server.h"
#include "pki/mint.h"
#include "serve/advisor.h"
#include "serve/managed_certificates.h"
#include "serve/reconciling.h"
#include "sys/cpus.h"
#include "sys/resolv.h"

#define RESOLV_CONF "/etc/resolv.conf"

enum cert_mode { CERT_SELF_MANAGED, CERT_FILES };

static const char *const cert_mode_names[] = {"self-managed", "files", NULL};

struct serve_settings {
	unsigned cert_mode; /* enum cert_mode */
	const char *tls_cert, *tls_key;
	const char *service, *ca_secret, *webhook_configuration;
	const char *service_account;
	unsigned ca_life, leaf_life, ca_settle, clock_margin;
	unsigned advice_timeout, advice_pause;
	unsigned scale_settle;
	const char *listen, *metrics_listen;
	const char *cluster_domain;
	const char *wait_image;
	unsigned threads;
	size_t memory;
	unsigned max_connections;
	unsigned drain, idle_timeout, request_timeout, reload_interval;
	unsigned log_level;
	bool check_config, print_config;
};

#define FIELD(name) offsetof(struct serve_settings, name)
#define MIB         ((uint64_t)1024 * 1024)

#define DAY (UINT64_C(24) * 60 * 60)

static const struct option option_table[] = {
	{.flag = "--cert-mode",
	 .type = OPTION_ENUM,
	 .offset = FIELD(cert_mode),
	 .value = "MODE",
	 .fallback = "self-managed",
	 .choices = cert_mode_names,
	 .help = "where the certificate comes from: self-managed (a CA in a Secret of the cluster) or files, the "
		 "default if --tls-cert is given"},
	{.flag = "--tls-cert",
	 .type = OPTION_STRING,
	 .offset = FIELD(tls_cert),
	 .value = "FILE",
	 .help = "files: PEM chain of the serving certificate, leaf first"},
	{.flag = "--tls-key",
	 .type = OPTION_STRING,
	 .offset = FIELD(tls_key),
	 .value = "FILE",
	 .help = "files: PEM key of the certificate"},
	{.flag = "--service",
	 .type = OPTION_NAME,
	 .offset = FIELD(service),
	 .value = "NAME",
	 .fallback = "tfconfig-webhook",
	 .help = "self-managed: the Service that the API server calls"},
	{.flag = "--ca-secret",
	 .type = OPTION_NAME,
	 .offset = FIELD(ca_secret),
	 .value = "NAME",
	 .fallback = "tfconfig-webhook-ca",
	 .help = "self-managed: the Secret, in the pod's namespace, that holds the CA of all replicas"},
	{.flag = "--webhook-configuration",
	 .type = OPTION_NAME,
	 .offset = FIELD(webhook_configuration),
	 .value = "NAME",
	 .fallback = "tfconfig-webhook",
	 .help = "self-managed: the MutatingWebhookConfiguration whose caBundle is kept up to date"},
	{.flag = "--listen",
	 .type = OPTION_ADDRESS,
	 .offset = FIELD(listen),
	 .value = "ADDR:PORT",
	 .fallback = "[::]:8443",
	 .help = "where reviews are answered over TLS; [::] includes IPv4"},
	{.flag = "--metrics-listen",
	 .type = OPTION_ADDRESS,
	 .offset = FIELD(metrics_listen),
	 .value = "ADDR:PORT",
	 .fallback = "[::]:8080",
	 .help = "where /healthz, /readyz and /metrics are, over plain HTTP"},
	{.flag = "--cluster-domain",
	 .type = OPTION_DOMAIN,
	 .offset = FIELD(cluster_domain),
	 .value = "DOMAIN",
	 .fallback = "",
	 .help = "the cluster's DNS domain; by default the one after \"svc.\" in " RESOLV_CONF
		 "; if there is none, names end at .svc"},
	{.flag = "--wait-image",
	 .type = OPTION_IMAGE,
	 .offset = FIELD(wait_image),
	 .value = "IMAGE",
	 .help = "the webhook's own image, for the init container that waits; without it tfconfig.dev/wait is denied"},
	{.flag = "--threads",
	 .type = OPTION_COUNT,
	 .offset = FIELD(threads),
	 .value = "COUNT",
	 .fallback = "0",
	 .max = 64,
	 .help = "threads that answer reviews; 0: one per CPU that the process may use, at most 8"},
	{.flag = "--memory",
	 .type = OPTION_SIZE,
	 .offset = FIELD(memory),
	 .value = "SIZE",
	 .fallback = REVIEW_DEFAULT_MEMORY_TEXT,
	 .min = 16 * MIB,
	 .max = 16384 * MIB,
	 .help = "memory that all connections and requests may hold together"},
	{.flag = "--max-connections",
	 .type = OPTION_COUNT,
	 .offset = FIELD(max_connections),
	 .value = "COUNT",
	 .fallback = "576",
	 .min = 2,
	 .max = 65536,
	 .help = "open connections to the TLS port, each taking 28Ki of half of --memory; when most are taken, the "
		 "longest idle are closed"},
	{.flag = "--drain",
	 .type = OPTION_DURATION,
	 .offset = FIELD(drain),
	 .value = "TIME",
	 .fallback = "10s",
	 .max = 3600,
	 .help = "how long to keep serving after a signal to stop"},
	{.flag = "--idle-timeout",
	 .type = OPTION_DURATION,
	 .offset = FIELD(idle_timeout),
	 .value = "TIME",
	 .fallback = "120s",
	 .min = 1,
	 .max = 3600,
	 .help = "how long a connection may be silent between requests; API servers keep theirs for 90s"},
	{.flag = "--request-timeout",
	 .type = OPTION_DURATION,
	 .offset = FIELD(request_timeout),
	 .value = "TIME",
	 .fallback = "10s",
	 .min = 1,
	 .max = 3600,
	 .help = "how long a TLS handshake, or a request including its answer, may take"},
	{.flag = "--reload-interval",
	 .type = OPTION_DURATION,
	 .offset = FIELD(reload_interval),
	 .value = "TIME",
	 .fallback = "60s",
	 .min = 1,
	 .max = 3600,
	 .help = "files: how often to check whether they changed"},
	{.flag = "--scale-settle",
	 .type = OPTION_DURATION,
	 .offset = FIELD(scale_settle),
	 .value = "TIME",
	 .fallback = "10s",
	 .max = 3600,
	 .help = "how long a scaled StatefulSet must be unchanged before it is restarted with its new group"},
	{.flag = "--log-level",
	 .type = OPTION_ENUM,
	 .offset = FIELD(log_level),
	 .value = "LEVEL",
	 .fallback = "info",
	 .choices = log_level_names,
	 .help = "debug, info, warning or error; denials are info"},
	{.flag = "--check-config",
	 .type = OPTION_FLAG,
	 .offset = FIELD(check_config),
	 .help = "check the settings, the certificate and the key, and exit"},
	{.flag = "--print-config",
	 .type = OPTION_FLAG,
	 .offset = FIELD(print_config),
	 .help = "print each setting and where it came from, and exit"},
	{.flag = "--service-account",
	 .type = OPTION_STRING,
	 .offset = FIELD(service_account),
	 .value = "FOLDER",
	 .fallback = "/var/run/secrets/kubernetes.io/serviceaccount",
	 .hidden = true},
	{.flag = "--ca-life",
	 .type = OPTION_DURATION,
	 .offset = FIELD(ca_life),
	 .value = "TIME",
	 .fallback = "8760h",
	 .min = 1,
	 .max = DAY * 365 * 10,
	 .hidden = true},
	{.flag = "--leaf-life",
	 .type = OPTION_DURATION,
	 .offset = FIELD(leaf_life),
	 .value = "TIME",
	 .fallback = "168h",
	 .min = 1,
	 .max = DAY * 365,
	 .hidden = true},
	{.flag = "--ca-settle",
	 .type = OPTION_DURATION,
	 .offset = FIELD(ca_settle),
	 .value = "TIME",
	 .fallback = "10s",
	 .max = DAY,
	 .hidden = true},
	{.flag = "--clock-margin",
	 .type = OPTION_DURATION,
	 .offset = FIELD(clock_margin),
	 .value = "TIME",
	 .fallback = "1h",
	 .max = MINT_BACKDATE,
	 .hidden = true},
	{.flag = "--advice-timeout",
	 .type = OPTION_COUNT, /* milliseconds */
	 .offset = FIELD(advice_timeout),
	 .value = "COUNT",
	 .fallback = "300",
	 .min = 1,
	 .max = 60000,
	 .hidden = true},
	{.flag = "--advice-pause",
	 .type = OPTION_DURATION,
	 .offset = FIELD(advice_pause),
	 .value = "TIME",
	 .fallback = "60s",
	 .max = DAY,
	 .hidden = true},
	{.flag = NULL},
};

static const char usage[] =
	"Usage: tfconfig-webhook serve [flags]\n"
	"       tfconfig-webhook serve --tls-cert FILE --tls-key FILE [flags]\n\n"
	"Answers admission reviews over TLS at POST /mutate until SIGTERM or SIGINT. Its certificate manages itself,\n"
	"in a pod whose service account may do that, or comes from files, which SIGHUP reloads. A flag overrides its\n"
	"variable, and a variable overrides the default.\n";

/* The domain that names end with, and whether it comes from resolv.conf; "" if neither has one. */
static const char *find_domain(const struct serve_settings *settings, char found[DNS_NAME_MAX + 1],
			       bool *ret_from_resolv)
{
	*ret_from_resolv = false;
	if (settings->cluster_domain && settings->cluster_domain[0])
		return settings->cluster_domain;
	*ret_from_resolv = resolv_read_domain(RESOLV_CONF, found);
	return *ret_from_resolv ? found : "";
}

static int print_config(const struct options *options, const struct server_config *config, bool from_resolv)
{
	const char *domain = config->admission.review.cluster_domain;

	options_print_config(stdout, options);
	printf("\nIn effect: %u threads, cluster domain %s%s\n", config->admission.threads, domain[0] ? domain : "none",
	       from_resolv ? " (from " RESOLV_CONF ")" : "");
	return EXIT_OK;
}

/* Everything `serve` does with files before it listens. An expired certificate is only a warning: it is served. */
static int check_files(const struct server_config *config, struct error *err)
{
	struct certificate_files files = {.certificate = config->certificate_file, .key = config->key_file};
	struct credentials *credentials = NULL;
	const char *problem;

	if (certificate_files_load(&files, &credentials, err) < 0)
		return -1;
	problem = credentials_date_problem(credentials->not_before, credentials->not_after, time(NULL));
	if (problem)
		fprintf(stderr, "tfconfig-webhook serve: warning: %s: %s\n", problem, config->certificate_file);
	credentials_unref(credentials);
	return 0;
}

static int check_config(const struct server_config *config)
{
	struct error err;

	if (config->certificate_file && check_files(config, &err) < 0)
		return command_failed("serve", &err);
	printf("The configuration is valid.\n");
	return EXIT_OK;
}

/* The mode is `files` if --cert-mode says so, or if a file is given. */
static int choose_mode(const struct options *options, struct serve_settings *settings, struct error *err)
{
	const char *file = settings->tls_cert ? "--tls-cert" : settings->tls_key ? "--tls-key" : NULL;

	if (file && !options_is_set(options, "--cert-mode"))
		settings->cert_mode = CERT_FILES;
	if (settings->cert_mode == CERT_SELF_MANAGED && file)
		return error_set(err, ERROR_USAGE, "%s is for --cert-mode files", file);
	if (settings->cert_mode == CERT_FILES && (!settings->tls_cert || !settings->tls_key))
		return error_set(err, ERROR_USAGE, "%s is missing: --cert-mode files needs both",
				 settings->tls_cert ? "--tls-key" : "--tls-cert");
	return 0;
}

static int make_config(const struct serve_settings *settings, const char *domain, struct server_config *config,
		       struct error *err)
{
	*config = (struct server_config){
		.certificate_file = settings->tls_cert,
		.key_file = settings->tls_key,
		.admission = {.threads = settings->threads ? settings->threads : cpus_available(),
			      .max_connections = settings->max_connections,
			      .idle_timeout = settings->idle_timeout,
			      .review = {.cluster_domain = domain, .wait_image = settings->wait_image}},
		.memory = settings->memory,
		.drain = settings->drain,
		.request_timeout = settings->request_timeout,
		.reload_interval = settings->reload_interval,
		.log_level = (enum log_level)settings->log_level,
	};
	if (listen_parse(settings->listen, &config->listen, err) < 0)
		return error_prefix(err, "--listen");
	if (listen_parse(settings->metrics_listen, &config->metrics_listen, err) < 0)
		return error_prefix(err, "--metrics-listen");
	return 0;
}

/* What runs next to the server, and what it is made of. */
struct companions {
	struct kube_client_config client;
	struct error no_cluster; /* why there is no client; ERROR_NONE: there is */
	struct managed_certificates managed;
	struct advisor advisor;
	struct cluster_lookup lookup;
	struct cluster_rights rights;
	struct reconciling reconciling;
};

static void add_companion(struct server_config *config, struct companion companion)
{
	config->companions[config->companion_count++] = companion;
}

static int add_managed(const struct serve_settings *settings, const char *domain, struct companions *companions,
		       struct server_config *config, struct error *err)
{
	struct certificates_config *managed = &companions->managed.config;

	if (companions->no_cluster.code != ERROR_NONE) {
		*err = companions->no_cluster;
		return error_prefix(err, "--cert-mode self-managed needs a pod with a service account");
	}
	*managed = (struct certificates_config){
		.client = companions->client,
		.secret = settings->ca_secret,
		.registration = settings->webhook_configuration,
		.times = {.ca_life = settings->ca_life,
			  .leaf_life = settings->leaf_life,
			  .settle = settings->ca_settle,
			  .margin = settings->clock_margin},
	};
	if (service_names_init(&managed->names, settings->service, managed->client.namespace, domain, err) < 0)
		return -1;
	add_companion(config, managed_certificates_companion(&companions->managed));
	return 0;
}

static void add_advisor(const struct serve_settings *settings, struct companions *companions,
			struct server_config *config)
{
	struct advisor *advisor = &companions->advisor;

	advisor->config = (struct finder_config){
		.client = companions->client, .timeout = settings->advice_timeout, .pause = settings->advice_pause};
	advisor->problem = companions->no_cluster.code == ERROR_NONE ? NULL : &companions->no_cluster;
	advisor->rights = &companions->rights;
	advisor_init(advisor);
	if (advisor_lookup(advisor, &companions->lookup))
		config->admission.lookup = &companions->lookup;
	add_companion(config, advisor_companion(advisor));
}

static void add_reconciling(const struct serve_settings *settings, struct companions *companions,
			    struct server_config *config)
{
	struct reconciling *reconciling = &companions->reconciling;

	reconciling->rights = &companions->rights;
	reconciling->config = (struct reconciler_config){
		.client = companions->client, .review = config->admission.review, .settle = settings->scale_settle};
	add_companion(config, reconciling_companion(reconciling));
}

/* Without a cluster to query, the webhook still serves, unless its certificate needs the cluster. */
static int add_companions(const struct serve_settings *settings, const char *domain, struct companions *companions,
			  struct server_config *config, struct error *err)
{
	if (kube_find_in_cluster(settings->service_account, &companions->client, &companions->no_cluster) == 0)
		companions->no_cluster.code = ERROR_NONE;
	if (settings->cert_mode == CERT_SELF_MANAGED && add_managed(settings, domain, companions, config, err) < 0)
		return -1;
	add_advisor(settings, companions, config);
	if (companions->no_cluster.code == ERROR_NONE) /* if not, the advisor logs it */
		add_reconciling(settings, companions, config);
	return 0;
}

int cmd_serve(int argc, char **argv)
{
	struct serve_settings settings = {0};
	struct options options = {
		.table = option_table, .usage = usage, .env_prefix = ENVIRONMENT_PREFIX, .settings = &settings};
	struct server_config config;
	struct companions companions = {.no_cluster = {.code = ERROR_NONE}};
	char found[DNS_NAME_MAX + 1];
	const char *domain;
	bool from_resolv;
	struct error err;

	if (options_help(&options, argc, argv))
		return EXIT_OK;
	if (options_parse(&options, argc, argv, &err) < 0 || choose_mode(&options, &settings, &err) < 0)
		return command_failed("serve", &err);
	domain = find_domain(&settings, found, &from_resolv);
	if (make_config(&settings, domain, &config, &err) < 0)
		return command_failed("serve", &err);
	if (settings.print_config)
		return print_config(&options, &config, from_resolv);
	if (add_companions(&settings, domain, &companions, &config, &err) < 0)
		return command_failed("serve", &err);
	if (settings.check_config)
		return check_config(&config);
	/* Memory holds private keys, which do not belong in a core dump. */
	prctl(PR_SET_DUMPABLE, 0);
	if (server_run(&config, &err) < 0)
		return command_failed("serve", &err);
	return EXIT_OK;
}
