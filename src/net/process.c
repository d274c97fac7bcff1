/* SPDX-License-Identifier: Apache-2.0 */
#include "net/process.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static void add_metric(struct buf *page, const char *name, const char *type, const char *help, double value)
{
	buf_addf(page, "# HELP process_%s %s\n# TYPE process_%s %s\nprocess_%s %.15g\n", name, help, name, type, name,
		 value);
}

static void add_cpu(struct buf *page)
{
	struct timespec used;

	if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) == 0)
		add_metric(page, "cpu_seconds_total", "counter", "User and system CPU time, in seconds.",
			   (double)used.tv_sec + (double)used.tv_nsec / 1e9);
}

/* proc(5): statm holds sizes in pages, virtual and resident first. */
static void add_memory(struct buf *page)
{
	FILE *file = fopen("/proc/self/statm", "re");
	const double page_size = (double)sysconf(_SC_PAGESIZE);
	unsigned long size, resident;

	if (file && fscanf(file, "%lu %lu", &size, &resident) == 2) {
		add_metric(page, "virtual_memory_bytes", "gauge", "Virtual memory, in bytes.",
			   (double)size * page_size);
		add_metric(page, "resident_memory_bytes", "gauge", "Resident memory, in bytes.",
			   (double)resident * page_size);
	}
	if (file)
		fclose(file);
}

static void add_descriptors(struct buf *page)
{
	DIR *folder = opendir("/proc/self/fd");
	struct rlimit limit;
	unsigned count = 0;

	if (folder) {
		for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder))
			count += entry->d_name[0] != '.';
		closedir(folder);
		/* One of them was the folder's own. */
		add_metric(page, "open_fds", "gauge", "Open file descriptors.", count - 1);
	}
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
		add_metric(page, "max_fds", "gauge", "File descriptors allowed.", (double)limit.rlim_cur);
}

/* proc(5): the 22nd field of stat, in clock ticks since the boot. The 2nd may hold blanks, and ends at the last ')'. */
static bool read_start_ticks(unsigned long long *ret_ticks)
{
	FILE *file = fopen("/proc/self/stat", "re");
	char text[1024] = "";
	const char *at;

	if (!file)
		return false;
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	at = strrchr(text, ')');
	for (int field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	return at && sscanf(at, "%llu", ret_ticks) == 1;
}

static bool read_boot_time(unsigned long long *ret_seconds)
{
	FILE *file = fopen("/proc/stat", "re");
	char line[256];
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file))
		found = sscanf(line, "btime %llu", ret_seconds) == 1;
	if (file)
		fclose(file);
	return found;
}

static void add_start_time(struct buf *page)
{
	unsigned long long ticks, boot;

	if (read_start_ticks(&ticks) && read_boot_time(&boot))
		add_metric(page, "start_time_seconds", "gauge", "Start of the process, in seconds since 1970.",
			   (double)boot + (double)ticks / (double)sysconf(_SC_CLK_TCK));
}

void process_render(struct buf *page)
{
	add_cpu(page);
	add_memory(page);
	add_descriptors(page);
	add_start_time(page);
}
