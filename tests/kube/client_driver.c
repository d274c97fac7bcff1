/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lets a test use the client of the Kubernetes API: commands from stdin, a line of stdout for each.
 *
 *   send METHOD PATH [TYPE]  a request; with a TYPE its body is the next line. "STATUS LENGTH" or "STATUS MESSAGE"
 *   show METHOD PATH         the same, and "ok BODY"
 *   watch PATH
 *   wait MILLISECONDS        "true" or "false"
 *   problem                  of the watches, or "none"
 *   check ADDRESS PORT NAME FILE  the self-check with the bundle in the file: "ok" or its error
 *
 * Usage: client-driver FOLDER [TIMEOUT]. SIGUSR1 wakes the client, from another thread.
 */

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "kube/client.h"
#include "kube/in_cluster.h"
#include "rotation/self_check.h"
#include "sys/file.h"

enum { LINE_MAX_BYTES = 2 * 1024 * 1024, WORDS_MAX = 5 };

static const char *const status_names[] = {
	[KUBE_OK] = "ok",
	[KUBE_NOT_FOUND] = "not-found",
	[KUBE_CONFLICT] = "conflict",
	[KUBE_FORBIDDEN] = "forbidden",
	[KUBE_GONE] = "gone",
	[KUBE_TOO_LARGE] = "too-large",
	[KUBE_REFUSED] = "refused",
	[KUBE_UNAVAILABLE] = "unavailable",
};

static void *wake_on_signal(void *context)
{
	struct kube_client *client = context;
	sigset_t set;
	int number = 0;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	while (sigwait(&set, &number) == 0 && number == SIGUSR1)
		kube_client_wake(client);
	return NULL;
}

static int start_waker(struct kube_client *client, pthread_t *ret_thread)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	return pthread_create(ret_thread, NULL, wake_on_signal, client);
}

static char *read_line(char line[LINE_MAX_BYTES])
{
	if (!fgets(line, LINE_MAX_BYTES, stdin))
		return NULL;
	line[strcspn(line, "\n")] = '\0';
	return line;
}

static void send_request(struct kube_client *client, char **words, bool show)
{
	static char body[LINE_MAX_BYTES];
	const struct kube_request request = {.method = words[1],
					     .path = words[2],
					     .content_type = words[3],
					     .body = words[3] ? read_line(body) : NULL};
	CLEANUP(buf_release) struct buf answer = {0};
	struct error err = {0};
	enum kube_status status;

	buf_init_secret(&answer, KUBE_ANSWER_MAX);
	status = kube_client_send(client, &request, &answer, &err);
	if (status != KUBE_OK)
		printf("%s %s\n", status_names[status], answer.len > 0 ? "and yet an answer" : err.message);
	else if (show)
		printf("ok %s\n", buf_string(&answer));
	else
		printf("ok %zu\n", answer.len);
}

static void check(char **words)
{
	CLEANUP(buf_release) struct buf bundle = {0};
	struct error err = {0};

	buf_init(&bundle, LINE_MAX_BYTES);
	if (file_read(words[4], &bundle, &err) < 0 ||
	    self_check(words[1], (unsigned)strtoul(words[2], NULL, 10), words[3], buf_string(&bundle), &err) !=
		    SELF_CHECK_VERIFIED)
		puts(err.message);
	else
		puts("ok");
}

static void obey(struct kube_client *client, char **words)
{
	struct error err = {0};

	if (strcmp(words[0], "send") == 0)
		send_request(client, words, false);
	else if (strcmp(words[0], "show") == 0)
		send_request(client, words, true);
	else if (strcmp(words[0], "watch") == 0)
		puts(kube_client_watch(client, words[1], &err) == 0 ? "ok" : err.message);
	else if (strcmp(words[0], "wait") == 0)
		puts(kube_client_wait(client, (unsigned)strtoul(words[1], NULL, 10)) ? "true" : "false");
	else if (strcmp(words[0], "problem") == 0)
		puts(kube_client_watch_failed(client, &err) ? err.message : "none");
	else if (strcmp(words[0], "check") == 0)
		check(words);
	else
		puts("unknown command");
}

static void obey_all(struct kube_client *client)
{
	static char line[LINE_MAX_BYTES];

	while (read_line(line)) {
		char *words[WORDS_MAX + 1] = {NULL};
		char *rest = NULL;

		words[0] = strtok_r(line, " ", &rest);
		for (size_t i = 1; i < WORDS_MAX && words[i - 1]; i++)
			words[i] = strtok_r(NULL, " ", &rest);
		if (words[0])
			obey(client, words);
		fflush(stdout);
	}
}

int main(int argc, char **argv)
{
	struct kube_client_config config;
	struct kube_client *client;
	pthread_t waker;
	struct error err = {0};

	signal(SIGPIPE, SIG_IGN);
	arena_hook_cjson();
	if (argc < 2 || kube_find_in_cluster(argv[1], &config, &err) < 0) {
		fprintf(stderr, "%s\n", argc < 2 ? "Usage: client-driver FOLDER [TIMEOUT]" : err.message);
		return 1;
	}
	config.timeout = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
	client = kube_client_new(&config, &err);
	if (!client || start_waker(client, &waker) != 0) {
		fprintf(stderr, "no client: %s\n", err.message);
		return 1;
	}
	printf("ready %s %s\n", config.server, config.namespace);
	fflush(stdout);
	obey_all(client);
	pthread_kill(waker, SIGUSR2);
	pthread_join(waker, NULL);
	kube_client_free(client);
	return 0;
}
