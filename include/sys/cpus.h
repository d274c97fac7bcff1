/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SYS_CPUS_H
#define SYS_CPUS_H

/*
 * How many CPUs this process may use at once, so that it starts that many threads and no more. Thread-safe.
 */

enum { CPUS_MAX = 8 }; /* more threads would not answer an API server any faster, and each takes memory */

/* The minimum of the scheduler's affinity mask, the cgroup's quota (versions 1 and 2) and CPUS_MAX; at least 1. */
unsigned cpus_available(void);

/* The minimum of a mask's CPUs, a quota's (0: none), and CPUS_MAX. */
unsigned cpus_least(unsigned mask, unsigned quota);

/*
 * CPUs of a quota, rounded up: 150000 of every 100000 microseconds are 2. 0 if there is no limit. The text is what the
 * kernel shows in cpu.max ("150000 100000" or "max 100000").
 * https://docs.kernel.org/admin-guide/cgroup-v2.html#cpu-interface-files
 */
unsigned cpus_of_quota(const char *text);

#endif
