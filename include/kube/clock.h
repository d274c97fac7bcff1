#ifndef KUBE_CLOCK_H
#define KUBE_CLOCK_H

#include <stdint.h>

/*
 * What keeps replicas apart: time that only moves forward, and chance. Thread-safe. Internal to src/kube.
 */

/* Milliseconds of CLOCK_MONOTONIC. */
uint64_t kube_milliseconds(void);

/* Any number; 0 where there is no chance to be had, and then all replicas come at once: a pity, no failure. */
unsigned kube_random(void);

#endif
