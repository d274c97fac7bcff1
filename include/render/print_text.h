/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_PRINT_TEXT_H
#define RENDER_PRINT_TEXT_H

#include "render/print.h"

/* Prints sets and pods for a person to read. */
extern const struct printer print_text;

#endif
