/* SPDX-License-Identifier: Apache-2.0 */
#include "bare_server.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MAX = 1024 * 1024, BODY_MAX = 1024 * 1024 };

struct server {
	bare_answer *answer;
	const void *context;
};

struct body {
	size_t len;
	char bytes[BODY_MAX + 1];
};

static enum MHD_Result respond(struct MHD_Connection *connection, struct MHD_Response *response)
{
	enum MHD_Result result;

	if (!response)
		return MHD_NO;
	MHD_add_response_header(response, "Content-Type", "application/json");
	result = MHD_queue_response(connection, 200, response);
	MHD_destroy_response(response);
	return result;
}

static enum MHD_Result handle(void *cls, struct MHD_Connection *connection, const char *url, const char *method,
			      const char *version, const char *upload, size_t *upload_size, void **state)
{
	const struct server *server = cls;
	struct body *body = *state;

	(void)url;
	(void)method;
	(void)version;
	if (!body) {
		*state = body = malloc(sizeof(*body));
		if (!body)
			return MHD_NO;
		body->len = 0;
		return MHD_YES;
	}
	if (*upload_size == 0) {
		body->bytes[body->len] = '\0';
		return respond(connection, server->answer(server->context, body->bytes, body->len));
	}
	if (*upload_size > BODY_MAX - body->len)
		return MHD_NO;
	memcpy(body->bytes + body->len, upload, *upload_size);
	body->len += *upload_size;
	*upload_size = 0;
	return MHD_YES;
}

static void completed(void *cls, struct MHD_Connection *connection, void **state, enum MHD_RequestTerminationCode how)
{
	(void)cls;
	(void)connection;
	(void)how;
	free(*state);
	*state = NULL;
}

char *bare_read_file(const char *path)
{
	char *text = calloc(1, FILE_MAX);
	FILE *file = fopen(path, "r");

	if (!text || !file || fread(text, 1, FILE_MAX - 1, file) == 0) {
		fprintf(stderr, "can't read %s\n", path);
		exit(1);
	}
	fclose(file);
	return text;
}

int bare_serve(const char *certificate, const char *key, const char *threads, bare_answer *answer, const void *context)
{
	struct server server = {answer, context};
	struct MHD_Daemon *daemon;
	const union MHD_DaemonInfo *info;
	sigset_t signals;
	int number;

	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	daemon = MHD_start_daemon(MHD_USE_TLS | MHD_USE_EPOLL_INTERNAL_THREAD, 0, NULL, NULL, handle, &server,
				  MHD_OPTION_NOTIFY_COMPLETED, completed, NULL, MHD_OPTION_THREAD_POOL_SIZE,
				  (unsigned)atoi(threads), MHD_OPTION_HTTPS_MEM_CERT, bare_read_file(certificate),
				  MHD_OPTION_HTTPS_MEM_KEY, bare_read_file(key), MHD_OPTION_HTTPS_PRIORITIES,
				  "SECURE128:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2", MHD_OPTION_CONNECTION_TIMEOUT, 120U,
				  MHD_OPTION_END);
	info = daemon ? MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT) : NULL;
	if (!info)
		return 1;
	printf("%u\n", info->port);
	fflush(stdout);
	sigwait(&signals, &number);
	MHD_stop_daemon(daemon);
	return 0;
}
