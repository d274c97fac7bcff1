/* SPDX-License-Identifier: Apache-2.0 */
#include "net/server.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "net/certificate_files.h"
#include "net/limits.h"
#include "net/probes.h"
#include "net/runtime.h"
#include "sys/clock.h"
#include "sys/heap.h"
#include "version.h"

struct server {
	const struct server_config *config;
	struct runtime runtime;
	struct certificate_files files;           /* used if the certificate comes from files */
	struct admission_config admission_config; /* with the actual limit of connections */
	struct admission admission;
	struct probes probes;
	sigset_t signals;
	struct listen_address address, metrics_address; /* the actual ones */
};

/* Threads started from now on inherit the blocked signals; this one takes them with sigtimedwait. */
static void block_signals(sigset_t *signals)
{
	sigemptyset(signals);
	sigaddset(signals, SIGHUP);
	sigaddset(signals, SIGINT);
	sigaddset(signals, SIGTERM);
	pthread_sigmask(SIG_BLOCK, signals, NULL);
}

/* A signal, or 0 at `until` (clock_milliseconds). */
static int wait_for_signal(const sigset_t *signals, uint64_t until)
{
	for (;;) {
		const uint64_t now = clock_milliseconds();
		const struct timespec left = clock_timespec(until > now ? until - now : 0);
		const int number = sigtimedwait(signals, NULL, &left);

		if (number > 0)
			return number;
		if (errno == EAGAIN)
			return 0;
	}
}

static bool reads_files(const struct server *server)
{
	return server->config->certificate_file != NULL;
}

static int load_files(struct server *server, struct error *err)
{
	struct credentials *credentials = NULL;

	if (certificate_files_load(&server->files, &credentials, err) < 0)
		return -1;
	if (runtime_use_certificate(&server->runtime, credentials, server->files.certificate, err) < 0) {
		/* The dates may be right later, so the same files have to be tried again. */
		certificate_files_forget(&server->files);
		return -1;
	}
	return 0;
}

static void reload(struct server *server)
{
	struct runtime *runtime = &server->runtime;
	struct error err;

	if (load_files(server, &err) < 0) {
		atomic_fetch_add(&runtime->metrics.reloads_failed, 1);
		log_event(runtime->log, LOG_LEVEL_ERROR, "certificate not reloaded, the previous one stays in use",
			  LOG_FIELDS(LOG_TEXT("message", err.message)));
		return;
	}
	atomic_fetch_add(&runtime->metrics.reloads_succeeded, 1);
	log_event(runtime->log, LOG_LEVEL_INFO, "certificate reloaded",
		  LOG_FIELDS(LOG_TEXT("file", server->files.certificate)));
}

static int start_ports(struct server *server, struct error *err)
{
	const struct server_config *config = server->config;
	int listen_fd, metrics_fd;

	listen_fd = listen_open(&config->listen, &server->address, err);
	if (listen_fd < 0)
		return -1;
	metrics_fd = listen_open(&config->metrics_listen, &server->metrics_address, err);
	if (metrics_fd < 0) {
		close(listen_fd);
		return -1;
	}
	if (admission_start(&server->admission, &server->runtime, &server->admission_config, listen_fd, err) < 0) {
		close(metrics_fd);
		return -1;
	}
	if (probes_start(&server->probes, &server->runtime, config->request_timeout, metrics_fd, err) < 0) {
		admission_stop(&server->admission);
		return -1;
	}
	return 0;
}

static int start_deadlines(struct server *server, struct error *err)
{
	struct runtime *runtime = &server->runtime;
	const struct deadlines_config config = {
		.seconds = server->config->request_timeout,
		.places = server->admission_config.max_connections,
		.missed = &runtime->metrics.deadlines_missed,
		.evicted = &runtime->metrics.evictions,
	};

	return deadlines_init(&runtime->deadlines, &config, err);
}

static int limit_connections(struct server *server, struct error *err)
{
	const struct server_config *config = server->config;
	struct limits limits;

	server->admission_config = config->admission;
	if (limits_find(config->admission.max_connections, config->admission.threads, config->memory, &limits, err) < 0)
		return -1;
	server->admission_config.max_connections = limits.connections;
	if (limits.reason)
		log_event(server->runtime.log, LOG_LEVEL_WARNING, "fewer connections than --max-connections",
			  LOG_FIELDS(LOG_NUMBER("connections", limits.connections), LOG_TEXT("reason", limits.reason)));
	return 0;
}

static void stop_companions(const struct server *server, size_t count)
{
	const struct companion *companions = server->config->companions;

	while (count-- > 0)
		companions[count].stop(companions[count].context);
}

static int start_companions(struct server *server, struct error *err)
{
	const struct server_config *config = server->config;

	for (size_t i = 0; i < config->companion_count; i++) {
		const struct companion *companion = &config->companions[i];

		if (companion->start(companion->context, &server->runtime, &server->address, err) < 0) {
			stop_companions(server, i);
			return -1;
		}
	}
	return 0;
}

static int start(struct server *server, struct error *err)
{
	const struct server_config *config = server->config;
	struct runtime *runtime = &server->runtime;

	budget_init(&runtime->budget, config->memory);
	runtime->metrics.budget = &runtime->budget;
	credentials_store_init(&runtime->credentials);
	server->files = (struct certificate_files){.certificate = config->certificate_file, .key = config->key_file};
	runtime->log = log_new(STDOUT_FILENO, config->log_level, err);
	if (!runtime->log)
		goto no_log;
	if (reads_files(server) && load_files(server, err) < 0)
		goto no_deadlines;
	if (limit_connections(server, err) < 0 || start_deadlines(server, err) < 0)
		goto no_deadlines;
	if (start_ports(server, err) < 0)
		goto no_ports;
	if (start_companions(server, err) < 0)
		goto no_companions;
	return 0;

no_companions:
	admission_stop(&server->admission);
	probes_stop(&server->probes);
no_ports:
	deadlines_release(&runtime->deadlines);
no_deadlines:
	log_free(runtime->log);
no_log:
	credentials_store_release(&runtime->credentials);
	return -1;
}

/* Serves until a signal asks for the end, and returns the signal. */
static int serve(struct server *server)
{
	for (;;) {
		const uint64_t next_look = clock_milliseconds() + (uint64_t)server->config->reload_interval * 1000;
		const int number = wait_for_signal(&server->signals, next_look);

		if (number == SIGTERM || number == SIGINT)
			return number;
		if (reads_files(server) && (number == SIGHUP || certificate_files_changed(&server->files)))
			reload(server);
	}
}

/*
 * It takes time until endpoints and load balancers know that we are not ready. Until then requests keep coming, over
 * new connections too. Stopping the library at once would cut off what is under way, and its way to stop listening is
 * unsafe while connections come and go, so new ones are turned away one by one.
 */
static void drain(struct server *server)
{
	struct runtime *runtime = &server->runtime;
	const uint64_t end = clock_milliseconds() + (uint64_t)server->config->drain * 1000;
	int number;

	atomic_store(&runtime->draining, true);
	do {
		number = wait_for_signal(&server->signals, end);
		if (number == SIGHUP && reads_files(server))
			reload(server);
	} while (number == SIGHUP);
	atomic_store(&runtime->refusing, true);
	if (!deadlines_wait_for_none(&runtime->deadlines))
		log_event(runtime->log, LOG_LEVEL_WARNING, "requests were cut off at the end of the drain", NULL);
}

static void stop(struct server *server)
{
	struct runtime *runtime = &server->runtime;

	stop_companions(server, server->config->companion_count);
	admission_stop(&server->admission);
	probes_stop(&server->probes);
	deadlines_release(&runtime->deadlines);
	log_event(runtime->log, LOG_LEVEL_INFO, "stopped", NULL);
	log_free(runtime->log);
	credentials_store_release(&runtime->credentials);
}

static void log_serving(struct server *server)
{
	const struct server_config *config = server->config;
	char address[LISTEN_TEXT_MAX], metrics_address[LISTEN_TEXT_MAX];

	listen_format((const struct sockaddr *)&server->address.address, address);
	listen_format((const struct sockaddr *)&server->metrics_address.address, metrics_address);
	log_event(server->runtime.log, LOG_LEVEL_INFO, "serving",
		  LOG_FIELDS(LOG_TEXT("version", TFCONFIG_WEBHOOK_VERSION), LOG_TEXT("listen", address),
			     LOG_TEXT("metrics_listen", metrics_address),
			     LOG_NUMBER("threads", config->admission.threads),
			     LOG_NUMBER("max_connections", server->admission_config.max_connections),
			     LOG_TEXT("cluster_domain", config->admission.review.cluster_domain)));
}

int server_run(const struct server_config *config, struct error *err)
{
	struct server server = {.config = config};
	int number;

	heap_init();
	block_signals(&server.signals);
	if (start(&server, err) < 0)
		return -1;
	heap_started();
	log_serving(&server);
	number = serve(&server);
	log_event(server.runtime.log, LOG_LEVEL_INFO, "draining",
		  LOG_FIELDS(LOG_TEXT("signal", number == SIGTERM ? "SIGTERM" : "SIGINT"),
			     LOG_NUMBER("seconds", config->drain)));
	drain(&server);
	stop(&server);
	return 0;
}
