/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_PRINT_DATA_H
#define RENDER_PRINT_DATA_H

#include "render/print.h"

/*
 * Prints sets and pods for programs: one object per set with namespace, name, file, denial, warnings and pods. JSON has
 * one object per line, YAML one per document.
 */
extern const struct printer print_data_json;
extern const struct printer print_data_yaml;

#endif
