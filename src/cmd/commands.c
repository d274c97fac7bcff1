/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/commands.h"

#include <stdio.h>

int command_failed(const char *command, const struct error *err)
{
	fprintf(stderr, "tfconfig-webhook %s: %s\n", command, err->message);
	return err->code == ERROR_USAGE ? EXIT_USAGE : EXIT_FAILED;
}
