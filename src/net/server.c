#include "net/server.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "net/clock.h"
#include "net/heap.h"
#include "net/limits.h"
#include "net/probes.h"
#include "net/runtime.h"
#include "version.h"

struct server {
	const struct server_config *config;
	struct runtime runtime;
	struct admission_config admission_config; /* with the connections that there really are */
	struct admission admission;
	struct probes probes;
	sigset_t signals;
	char address[LISTEN_TEXT_MAX], metrics_address[LISTEN_TEXT_MAX];
};

/* Every thread started from now on has them blocked; this one takes them with sigtimedwait. */
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

static void note_certificate(struct server *server)
{
	struct runtime *runtime = &server->runtime;
	struct credentials *credentials = credentials_store_ref(&runtime->credentials);
	const char *problem = credentials_date_problem(credentials->not_before, credentials->not_after, time(NULL));

	atomic_store(&runtime->metrics.certificate_expiry, credentials->not_after);
	if (problem)
		log_event(runtime->log, LOG_LEVEL_WARNING, problem,
			  LOG_FIELDS(LOG_TEXT("file", server->config->certificate_file)));
	credentials_unref(credentials);
}

static void reload(struct server *server)
{
	struct runtime *runtime = &server->runtime;
	struct error err;

	if (credentials_store_load(&runtime->credentials, &err) < 0) {
		atomic_fetch_add(&runtime->metrics.reloads_failed, 1);
		log_event(runtime->log, LOG_LEVEL_ERROR, "certificate not reloaded, the one before serves on",
			  LOG_FIELDS(LOG_TEXT("message", err.message)));
		return;
	}
	atomic_fetch_add(&runtime->metrics.reloads_succeeded, 1);
	log_event(runtime->log, LOG_LEVEL_INFO, "certificate reloaded",
		  LOG_FIELDS(LOG_TEXT("file", server->config->certificate_file)));
	note_certificate(server);
}

static int start_ports(struct server *server, struct error *err)
{
	const struct server_config *config = server->config;
	int listen_fd, metrics_fd;

	listen_fd = listen_open(&config->listen, server->address, err);
	if (listen_fd < 0)
		return -1;
	metrics_fd = listen_open(&config->metrics_listen, server->metrics_address, err);
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

static int start(struct server *server, struct error *err)
{
	const struct server_config *config = server->config;
	struct runtime *runtime = &server->runtime;

	budget_init(&runtime->budget, config->memory);
	runtime->metrics.budget = &runtime->budget;
	credentials_store_init(&runtime->credentials, config->certificate_file, config->key_file);
	if (credentials_store_load(&runtime->credentials, err) < 0)
		goto no_certificate;
	runtime->log = log_new(STDOUT_FILENO, config->log_level, err);
	if (!runtime->log)
		goto no_certificate;
	if (limit_connections(server, err) < 0 || start_deadlines(server, err) < 0)
		goto no_deadlines;
	if (start_ports(server, err) < 0)
		goto no_ports;
	return 0;

no_ports:
	deadlines_release(&runtime->deadlines);
no_deadlines:
	log_free(runtime->log);
no_certificate:
	credentials_store_release(&runtime->credentials);
	return -1;
}

/* Serves until a signal asks for the end, and returns it. */
static int serve(struct server *server)
{
	for (;;) {
		const uint64_t next_look = clock_milliseconds() + (uint64_t)server->config->reload_interval * 1000;
		const int number = wait_for_signal(&server->signals, next_look);

		if (number == SIGTERM || number == SIGINT)
			return number;
		if (number == SIGHUP || credentials_store_changed(&server->runtime.credentials))
			reload(server);
	}
}

/*
 * Endpoints and load balancers take their time to learn that we are not ready: until then requests keep coming, over
 * new connections too. Stopping the library at once would cut what is under way, and its way to stop listening is
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
		if (number == SIGHUP)
			reload(server);
	} while (number == SIGHUP);
	atomic_store(&runtime->refusing, true);
	if (!deadlines_wait_for_none(&runtime->deadlines))
		log_event(runtime->log, LOG_LEVEL_WARNING, "requests were cut at the end of the drain", NULL);
}

static void stop(struct server *server)
{
	struct runtime *runtime = &server->runtime;

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

	log_event(server->runtime.log, LOG_LEVEL_INFO, "serving",
		  LOG_FIELDS(LOG_TEXT("version", TFCONFIG_WEBHOOK_VERSION), LOG_TEXT("listen", server->address),
			     LOG_TEXT("metrics_listen", server->metrics_address),
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
	note_certificate(&server);
	log_serving(&server);
	number = serve(&server);
	log_event(server.runtime.log, LOG_LEVEL_INFO, "draining",
		  LOG_FIELDS(LOG_TEXT("signal", number == SIGTERM ? "SIGTERM" : "SIGINT"),
			     LOG_NUMBER("seconds", config->drain)));
	drain(&server);
	stop(&server);
	return 0;
}
