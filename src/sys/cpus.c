/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/cpus.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Reads a short file into `ret_line` as a string without its final newline. */
static bool read_line(const char *path, char *ret_line, int size)
{
	FILE *file = fopen(path, "re");
	bool done = false;

	if (!file)
		return false;
	done = fgets(ret_line, size, file) != NULL;
	fclose(file);
	if (done)
		ret_line[strcspn(ret_line, "\n")] = '\0';
	return done;
}

unsigned cpus_of_quota(const char *text)
{
	unsigned long quota, period;

	if (sscanf(text, "%lu %lu", &quota, &period) != 2 || quota == 0 || period == 0)
		return 0;
	if (quota / period >= CPU_SETSIZE)
		return CPU_SETSIZE;
	return (unsigned)((quota + period - 1) / period);
}

/* 0: no quota. In a container the process's own group is mounted at the root. */
static unsigned quota_of_cgroup(void)
{
	char quota[64], period[64], both[130];

	if (read_line("/sys/fs/cgroup/cpu.max", both, sizeof(both)))
		return cpus_of_quota(both);
	if (!read_line("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", quota, sizeof(quota)) || quota[0] == '-' ||
	    !read_line("/sys/fs/cgroup/cpu/cpu.cfs_period_us", period, sizeof(period)))
		return 0;
	snprintf(both, sizeof(both), "%s %s", quota, period);
	return cpus_of_quota(both);
}

unsigned cpus_least(unsigned mask, unsigned quota)
{
	const unsigned cpus = quota > 0 && quota < mask ? quota : mask;

	return cpus < CPUS_MAX ? cpus : CPUS_MAX;
}

unsigned cpus_available(void)
{
	const unsigned quota = quota_of_cgroup();
	unsigned cpus = 1;
	cpu_set_t mask;

	if (sched_getaffinity(0, sizeof(mask), &mask) == 0 && CPU_COUNT(&mask) > 0)
		cpus = (unsigned)CPU_COUNT(&mask);
	return cpus_least(cpus, quota);
}
