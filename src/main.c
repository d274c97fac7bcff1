/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "cmd/commands.h"
#include "pki/wipe.h"
#include "version.h"

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
} commands[] = {
	{"serve", cmd_serve, "answer admission reviews over TLS"},
	{"review", cmd_review, "answer one AdmissionReview from stdin"},
	{"render", cmd_render, "show what the webhook would say about manifests, and each pod's TF_CONFIG"},
	{"certs", cmd_certs, "mint a CA and a serving certificate into a folder"},
	{"wait", cmd_wait, "wait until the names of all peers in TF_CONFIG resolve"},
};

static void print_usage(FILE *file)
{
	fprintf(file, "Usage: tfconfig-webhook COMMAND [flags]\n\n"
		      "A Kubernetes admission webhook that gives each pod of a training StatefulSet its TF_CONFIG.\n\n"
		      "Commands:\n");
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		fprintf(file, "  %-8s %s\n", commands[i].name, commands[i].help);
	fprintf(file, "\ntfconfig-webhook COMMAND --help lists a command's flags; --version prints the version.\n");
}

int main(int argc, char **argv)
{
	signal(SIGPIPE, SIG_IGN); /* a reader that is gone makes write(2) fail instead of ending the process */
	arena_hook_cjson();
	/* Fails if a library allocated memory before: then keys are protected less, and everything works. */
	wipe_hook_openssl();
	if (argc < 2) {
		print_usage(stderr);
		return EXIT_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		print_usage(stdout);
		return EXIT_OK;
	}
	if (strcmp(argv[argc - 1], "--version") == 0) {
		printf("tfconfig-webhook %s\n", TFCONFIG_WEBHOOK_VERSION);
		return EXIT_OK;
	}
	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		if (strcmp(argv[1], commands[i].name) == 0)
			return commands[i].run(argc - 2, argv + 2);
	}
	fprintf(stderr, "tfconfig-webhook: unknown command \"%s\": --help lists what there is\n", argv[1]);
	return EXIT_USAGE;
}
