/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_COMMANDS_H
#define CMD_COMMANDS_H

#include "base/error.h"

/*
 * The subcommands, one file each. A command gets the arguments after its own name and returns the exit code of the
 * process: 0, 1 for a failure or a denial, 2 for wrong usage. Each may be called once.
 */

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* The prefix of every flag's environment variable. */
#define ENVIRONMENT_PREFIX "TFCONFIG_WEBHOOK_"

int cmd_serve(int argc, char **argv);
int cmd_review(int argc, char **argv);
int cmd_render(int argc, char **argv);
int cmd_certs(int argc, char **argv);
int cmd_wait(int argc, char **argv);

/* Prints "tfconfig-webhook COMMAND: message" to stderr and returns the exit code for the error. */
int command_failed(const char *command, const struct error *err);

#endif
