#ifndef CMD_COMMANDS_H
#define CMD_COMMANDS_H

#include "base/error.h"

/*
 * The subcommands, one file each. Each gets the arguments after its own name and returns the process's
 * exit code: 0, 1 for a failure or a denial, 2 for wrong usage.
 */

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* The prefix of every flag's environment variable. */
#define ENVIRONMENT_PREFIX "TFCONFIG_WEBHOOK_"

int cmd_serve(int argc, char **argv);
int cmd_review(int argc, char **argv);
int cmd_render(int argc, char **argv);
int cmd_certs(int argc, char **argv);
int cmd_wait(int argc, char **argv);

/* Prints "tfconfig-webhook COMMAND: message" to stderr as one line and returns the exit code that fits the error. */
int command_failed(const char *command, const struct error *err);

#endif
