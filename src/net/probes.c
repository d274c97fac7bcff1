/* SPDX-License-Identifier: Apache-2.0 */
#include "net/probes.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "net/process.h"
#include "net/reply.h"

enum {
	PAGE_MAX = 256 * 1024, /* bytes of the metrics page, which has some 10 KiB */
	STACK_SIZE = 256 * 1024,
	LIBRARY_MARGIN = 2, /* seconds by which the library's own timeout, which is not counted, comes after ours */
};

static const struct reply closing = {
	.status = MHD_HTTP_OK,
	.close = true,
};

static enum MHD_Result answer_healthz(struct probes *probes, struct MHD_Connection *handle)
{
	(void)probes;
	return reply_text(handle, &closing, "alive");
}

static enum MHD_Result answer_readyz(struct probes *probes, struct MHD_Connection *handle)
{
	const char *reason = runtime_not_ready(probes->runtime);
	struct reply reply = closing;

	if (!reason)
		return reply_text(handle, &closing, "ready");
	reply.status = MHD_HTTP_SERVICE_UNAVAILABLE;
	return reply_text(handle, &reply, reason);
}

static enum MHD_Result answer_metrics(struct probes *probes, struct MHD_Connection *handle)
{
	struct reply reply = closing;
	struct buf page;

	buf_init(&page, PAGE_MAX);
	metrics_render(&probes->runtime->metrics, log_dropped(probes->runtime->log), &page);
	process_render(&page);
	if (page.failed) {
		buf_release(&page);
		reply.status = MHD_HTTP_INTERNAL_SERVER_ERROR;
		return reply_text(handle, &reply, "no memory for the page");
	}
	reply.content_type = "text/plain; version=0.0.4; charset=utf-8";
	return reply_owned(handle, &reply, page.data, page.len);
}

static const struct page {
	const char *path;
	enum MHD_Result (*answer)(struct probes *probes, struct MHD_Connection *handle);
} pages[] = {
	{"/healthz", answer_healthz},
	{"/readyz", answer_readyz},
	{"/metrics", answer_metrics},
};

static enum MHD_Result refuse(struct MHD_Connection *handle, unsigned status, const char *text)
{
	struct reply reply = closing;

	reply.status = status;
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED) {
		reply.header = "Allow";
		reply.value = "GET, HEAD";
	}
	return reply_text(handle, &reply, text);
}

static enum MHD_Result handle_request(void *cls, struct MHD_Connection *handle, const char *url, const char *method,
				      const char *version, const char *piece, size_t *piece_len, void **context)
{
	struct probes *probes = cls;

	(void)version;
	(void)piece;
	(void)piece_len;
	(void)context;
	for (size_t i = 0; i < ARRAY_LEN(pages); i++) {
		if (strcmp(url, pages[i].path) != 0)
			continue;
		if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
			return refuse(handle, MHD_HTTP_METHOD_NOT_ALLOWED, "this page is read with GET");
		return pages[i].answer(probes, handle);
	}
	return refuse(handle, MHD_HTTP_NOT_FOUND, "unknown path: there are /healthz, /readyz and /metrics");
}

/* The connection's context is its deadline. Without memory for one, the library's own timeout must do. */
static void notify_connection(void *cls, struct MHD_Connection *handle, void **socket_context,
			      enum MHD_ConnectionNotificationCode code)
{
	struct probes *probes = cls;
	struct deadline *deadline = *socket_context;
	const union MHD_ConnectionInfo *fd;

	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		fd = MHD_get_connection_info(handle, MHD_CONNECTION_INFO_CONNECTION_FD);
		deadline = calloc(1, sizeof(*deadline));
		if (deadline && fd)
			deadline_enter(&probes->deadlines, deadline, fd->connect_fd);
		*socket_context = deadline;
		return;
	}
	if (deadline)
		deadline_leave(&probes->deadlines, deadline);
	free(deadline);
	*socket_context = NULL;
}

static struct MHD_Daemon *start_daemon(struct probes *probes, unsigned request_timeout, int listen_fd)
{
	struct MHD_OptionItem options[] = {
		{MHD_OPTION_EXTERNAL_LOGGER, (intptr_t)runtime_library_log, probes->runtime},
		{MHD_OPTION_LISTEN_SOCKET, listen_fd, NULL},
		{MHD_OPTION_NOTIFY_CONNECTION, (intptr_t)notify_connection, probes},
		{MHD_OPTION_CONNECTION_LIMIT, PROBES_MAX_CONNECTIONS, NULL},
		{MHD_OPTION_CONNECTION_TIMEOUT, request_timeout + LIBRARY_MARGIN, NULL},
		{MHD_OPTION_THREAD_STACK_SIZE, STACK_SIZE, NULL},
		{MHD_OPTION_STRICT_FOR_CLIENT, 1, NULL},
		{MHD_OPTION_END, 0, NULL},
	};

	return MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC | MHD_USE_ERROR_LOG, 0, NULL, NULL,
				handle_request, probes, MHD_OPTION_ARRAY, options, MHD_OPTION_END);
}

int probes_start(struct probes *probes, struct runtime *runtime, unsigned request_timeout, int listen_fd,
		 struct error *err)
{
	const struct deadlines_config config = {
		.seconds = request_timeout,
		.places = PROBES_MAX_CONNECTIONS,
		.at_once = true,
		.missed = &runtime->metrics.deadlines_missed,
		.evicted = &runtime->metrics.evictions,
	};

	*probes = (struct probes){.runtime = runtime};
	if (deadlines_init(&probes->deadlines, &config, err) < 0) {
		close(listen_fd);
		return -1;
	}
	probes->daemon = start_daemon(probes, request_timeout, listen_fd);
	if (probes->daemon)
		return 0;
	/* The library may have closed the socket. Leaking it beats closing it twice. */
	deadlines_release(&probes->deadlines);
	return error_set(err, ERROR_SYSTEM, "cannot start the server of probes and metrics");
}

void probes_stop(struct probes *probes)
{
	MHD_stop_daemon(probes->daemon);
	deadlines_release(&probes->deadlines);
}
