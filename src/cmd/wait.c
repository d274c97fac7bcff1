/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/arena.h"
#include "cmd/commands.h"
#include "cmd/options.h"
#include "core/keys.h"
#include "core/messages.h"
#include "sys/clock.h"
#include "wait/lookups.h"
#include "wait/peers.h"
#include "wait/progress.h"

enum {
	FIRST_BLOCK = 16 * 1024,
	MEMORY = 8 * 1024 * 1024, /* even the largest value that Linux allows needs less */
	NAMES_IN_PROGRESS = 3,
	NAMES_AT_THE_END = 20,
};

struct wait_settings {
	unsigned timeout;
};

static const struct option option_table[] = {
	{.flag = "--timeout",
	 .type = OPTION_DURATION,
	 .offset = offsetof(struct wait_settings, timeout),
	 .fallback = "10m",
	 .value = "TIME",
	 .help = "how long to wait for the names",
	 .min = 1,
	 .max = 86400},
	{0},
};

static const char usage[] =
	"Usage: tfconfig-webhook wait [flags]\n\n"
	"Waits until the name of every peer in the variable TF_CONFIG resolves, and connects to none. The init\n"
	"container that tfconfig.dev/wait: \"true\" adds to a pod runs it.\n"
	"Exit code 0 if all resolve, 1 at the timeout, 2 for wrong usage.\n";

struct waiting {
	struct budget budget;
	struct arena arena;
	struct peers peers;
	struct lookups lookups;
	int signal_fd;
	unsigned timeout; /* seconds */
	uint64_t end;     /* clock_milliseconds */
	struct progress progress;
};

/* They are read from a descriptor: process 1 of a container ignores signals that have no handler. */
static int catch_signals(struct waiting *waiting, struct error *err)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	waiting->signal_fd = signalfd(-1, &signals, SFD_CLOEXEC);
	return waiting->signal_fd < 0 ? error_set(err, ERROR_SYSTEM, "signalfd: %s", strerror(errno)) : 0;
}

static int read_peers(struct waiting *waiting, struct error *err)
{
	const char *value = getenv(VARIABLE);
	int result;

	if (!value)
		return error_set(err, ERROR_INVALID, WAIT_NO_VALUE);
	budget_init(&waiting->budget, MEMORY);
	if (arena_init(&waiting->arena, FIRST_BLOCK, MEMORY, &waiting->budget) < 0)
		return error_set(err, ERROR_NO_MEMORY, MESSAGE_NO_MEMORY);
	arena_enter(&waiting->arena);
	result = peers_read(&waiting->arena, value, &waiting->peers, err);
	arena_enter(NULL);
	return result < 0 ? error_prefix(err, VARIABLE) : 0;
}

/* Returns true if a signal asks for the end; false once a round is over or the time has come. */
static bool wait_until(const struct waiting *waiting, uint64_t time)
{
	const uint64_t now = clock_milliseconds();
	struct pollfd fds[] = {{.fd = waiting->signal_fd, .events = POLLIN},
			       {.fd = waiting->lookups.event_fd, .events = POLLIN}};

	return poll(fds, ARRAY_LEN(fds), time > now ? (int)(time - now) : 0) > 0 && fds[0].revents;
}

/* " (Temporary failure in name resolution)" if DNS has a problem, else "". */
static void describe_trouble(const struct lookups_report *report, char text[LOOKUPS_TROUBLE_MAX + 3])
{
	text[0] = '\0';
	if (report->trouble[0])
		snprintf(text, LOOKUPS_TROUBLE_MAX + 3, " (%s)", report->trouble);
}

static void report_progress(const struct waiting *waiting, const struct lookups_report *report)
{
	const size_t len = waiting->peers.len;
	char trouble[LOOKUPS_TROUBLE_MAX + 3];

	describe_trouble(report, trouble);
	if (report->resolved == len)
		printf(WAIT_DONE "\n", len, len);
	else
		printf(WAIT_PROGRESS "\n", report->resolved, len, report->missing, trouble);
	fflush(stdout);
}

static int give_up(const struct waiting *waiting, const struct lookups_report *report, bool stopped, struct error *err)
{
	const size_t len = waiting->peers.len;
	const size_t missing = len - report->resolved;
	char trouble[LOOKUPS_TROUBLE_MAX + 3];

	describe_trouble(report, trouble);
	if (stopped)
		return error_set(err, ERROR_INVALID, WAIT_STOPPED, missing, len, trouble, report->missing);
	return error_set(err, ERROR_INVALID, WAIT_TIMED_OUT, waiting->timeout, missing, len, trouble, report->missing);
}

static int wait_for_peers(struct waiting *waiting, struct error *err)
{
	for (;;) {
		const uint64_t next = progress_next(&waiting->progress);
		const bool stopped = wait_until(waiting, next < waiting->end ? next : waiting->end);
		const uint64_t now = clock_milliseconds();
		const bool last = stopped || now >= waiting->end;
		struct lookups_report report;

		lookups_report(&waiting->lookups, last ? NAMES_AT_THE_END : NAMES_IN_PROGRESS, &report);
		if (progress_is_due(&waiting->progress, report.resolved, report.round_over, now))
			report_progress(waiting, &report);
		if (report.resolved == waiting->peers.len)
			return 0;
		if (last)
			return give_up(waiting, &report, stopped, err);
	}
}

int cmd_wait(int argc, char **argv)
{
	/* Static, because a lookup that is under way at the end uses it until the process exits. */
	static struct waiting waiting;
	struct error err = {ERROR_NONE, ""};
	struct wait_settings settings = {0};
	struct options options = {.table = option_table, .usage = usage, .settings = &settings};

	if (options_help(&options, argc, argv))
		return EXIT_OK;
	if (options_parse(&options, argc, argv, &err) < 0)
		return command_failed("wait", &err);
	waiting.timeout = settings.timeout;
	waiting.progress.at = clock_milliseconds();
	waiting.end = waiting.progress.at + (uint64_t)settings.timeout * 1000;
	if (catch_signals(&waiting, &err) < 0 || read_peers(&waiting, &err) < 0 ||
	    lookups_start(&waiting.lookups, &waiting.peers, &err) < 0 || wait_for_peers(&waiting, &err) < 0)
		return command_failed("wait", &err);
	return EXIT_OK;
}
