/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_PRINT_ENV_H
#define RENDER_PRINT_ENV_H

#include "render/print.h"

/*
 * Prints the TF_CONFIG of one pod as an assignment for a shell. Warnings and errors go to stderr, so that a shell can
 * evaluate what is left.
 */
extern const struct printer print_env;

#endif
