#include <gnutls/gnutls.h>
#include <microhttpd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * What libmicrohttpd can do at most: TLS, epoll, a pool of threads, and the request's body sent back. No JSON, no log,
 * no limits. The bench measures the webhook against it in the same run.
 */

enum { FILE_MAX = 64 * 1024, BODY_MAX = 1024 * 1024 };

struct body {
	size_t len;
	char bytes[];
};

static enum MHD_Result answer(struct MHD_Connection *connection, const struct body *body)
{
	struct MHD_Response *response = MHD_create_response_from_buffer(
		body->len, (void *)(size_t)(const void *)body->bytes, MHD_RESPMEM_MUST_COPY);
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
	struct body *body = *state;

	(void)cls;
	(void)url;
	(void)method;
	(void)version;
	if (!body) {
		*state = body = malloc(sizeof(*body) + BODY_MAX);
		if (!body)
			return MHD_NO;
		body->len = 0;
		return MHD_YES;
	}
	if (*upload_size == 0)
		return answer(connection, body);
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

static char *read_file(const char *path)
{
	char *text = calloc(1, FILE_MAX);
	FILE *file = fopen(path, "r");

	if (!text || !file || fread(text, 1, FILE_MAX - 1, file) == 0) {
		fprintf(stderr, "echo: can't read %s\n", path);
		exit(1);
	}
	fclose(file);
	return text;
}

int main(int argc, char **argv)
{
	struct MHD_Daemon *daemon;
	const union MHD_DaemonInfo *info;
	sigset_t signals;
	int number;

	if (argc != 4) {
		fprintf(stderr, "usage: echo CERTIFICATE KEY THREADS\n");
		return 2;
	}
	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	daemon = MHD_start_daemon(
		MHD_USE_TLS | MHD_USE_EPOLL_INTERNAL_THREAD, 0, NULL, NULL, handle, NULL, MHD_OPTION_NOTIFY_COMPLETED,
		completed, NULL, MHD_OPTION_THREAD_POOL_SIZE, (unsigned)atoi(argv[3]), MHD_OPTION_HTTPS_MEM_CERT,
		read_file(argv[1]), MHD_OPTION_HTTPS_MEM_KEY, read_file(argv[2]), MHD_OPTION_HTTPS_PRIORITIES,
		"SECURE128:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2", MHD_OPTION_CONNECTION_TIMEOUT, 120U, MHD_OPTION_END);
	info = daemon ? MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT) : NULL;
	if (!info)
		return 1;
	printf("%u\n", info->port);
	fflush(stdout);
	sigwait(&signals, &number);
	MHD_stop_daemon(daemon);
	return 0;
}
