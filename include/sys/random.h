/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SYS_RANDOM_H
#define SYS_RANDOM_H

/* A random number, which keeps replicas apart. 0 if no entropy is ready: they then retry in step, which is harmless. */
unsigned random_number(void);

#endif
