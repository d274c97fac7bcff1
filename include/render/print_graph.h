/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_PRINT_GRAPH_H
#define RENDER_PRINT_GRAPH_H

#include <stdbool.h>
#include <stdio.h>

#include "render/report.h"

/*
 * Prints the group of a set as a table: role, index, pod, address. Of a role with many pods the first and last are
 * shown, all of them with `all`. The set must have a group. Write errors stay in the file (ferror).
 */
void print_graph(FILE *file, const struct set_report *set, bool all);

#endif
