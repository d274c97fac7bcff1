/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the reconciler alone, until stdin ends, and prints one line for each of its callbacks.
 *
 *   restarted NAMESPACE/NAME WAS SIZE
 *   following COUNT            each time the count changes
 *   skipped COUNT
 *   failed NAMESPACE/NAME MESSAGE
 *   trouble MESSAGE, forbidden MESSAGE, or well
 *
 * Usage: reconcile-driver FOLDER SETTLE
 */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"
#include "cluster/reconciler.h"
#include "kube/in_cluster.h"

static void restarted(void *context, const char *namespace, const char *name, unsigned was, unsigned size)
{
	(void)context;
	printf("restarted %s/%s %u %u\n", namespace, name, was, size);
}

static void following(void *context, unsigned long count, unsigned long skipped)
{
	static unsigned long skipped_before;
	unsigned long *last = context;

	if (skipped != skipped_before)
		printf("skipped %lu\n", skipped);
	skipped_before = skipped;

	if (*last == count)
		return;
	*last = count;
	printf("following %lu\n", count);
}

static void failed(void *context, const char *namespace, const char *name, const char *message)
{
	(void)context;
	printf("failed %s/%s %s\n", namespace, name, message);
}

static void trouble(void *context, bool forbidden, const char *message)
{
	(void)context;
	if (message)
		printf("%s %s\n", forbidden ? "forbidden" : "trouble", message);
	else
		printf("well\n");
}

int main(int argc, char **argv)
{
	unsigned long last = 0;
	struct reconciler_observer observer = {
		.context = &last, .restarted = restarted, .following = following, .failed = failed, .trouble = trouble};
	struct reconciler_config config = {.review = {.cluster_domain = "cluster.local"}};
	struct reconciler *reconciler;
	struct budget budget;
	struct error err;
	char byte;

	if (argc != 3)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	signal(SIGPIPE, SIG_IGN);
	arena_hook_cjson();
	budget_init(&budget, (size_t)48 * 1024 * 1024);
	config.budget = &budget;
	config.settle = (unsigned)atoi(argv[2]);
	if (kube_find_in_cluster(argv[1], &config.client, &err) < 0 ||
	    !(reconciler = reconciler_start(&config, &observer, &err))) {
		fprintf(stderr, "%s\n", err.message);
		return 1;
	}
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	reconciler_stop(reconciler);
	return 0;
}
