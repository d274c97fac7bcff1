#ifndef KUBE_CLOCK_H
#define KUBE_CLOCK_H

#include <stdint.h>
#include <time.h>

/*
 * Time, and chance, which keeps replicas apart. Thread-safe. Internal to src/kube.
 */

/* Milliseconds of CLOCK_MONOTONIC. */
uint64_t kube_milliseconds(void);

enum { KUBE_TIME_SIZE = sizeof("2026-01-31T00:00:00Z") };

/* The wall clock's time as Kubernetes writes it, to the second. */
void kube_write_time(time_t time, char text[KUBE_TIME_SIZE]);

/* Any number; 0 where there is no chance to be had, and then all replicas come at once: a pity, no failure. */
unsigned kube_random(void);

#endif
