/* SPDX-License-Identifier: Apache-2.0 */
#include "wait/lookups.h"

#include <errno.h>
#include <netdb.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "sys/clock.h"

enum {
	FIRST_DELAY = 500, /* milliseconds between the first two rounds; it doubles */
	LAST_DELAY = 5000,
	/* A miss is two queries, A and AAAA, and a round starts every 5 s: 10,000 queries a second per group. */
	MISSES_OF_GROUP = 25000,
	MISSES_MIN = 8,
};

enum outcome {
	RESOLVED,
	MISSING,
	TROUBLE, /* unknown: DNS is silent or broken */
};

/* Asks the resolver for the addresses of one family. */
static enum outcome ask(const char *name, int family, char trouble[LOOKUPS_TROUBLE_MAX])
{
	const struct addrinfo hints = {.ai_family = family, .ai_socktype = SOCK_STREAM};
	struct addrinfo *addresses = NULL;
	const int code = getaddrinfo(name, NULL, &hints, &addresses);

	switch (code) {
	case 0:
		freeaddrinfo(addresses);
		return RESOLVED;
	case EAI_NONAME:
	case EAI_NODATA:
	case EAI_ADDRFAMILY:
		return MISSING;
	default:
		snprintf(trouble, LOOKUPS_TROUBLE_MAX, "%s", code == EAI_SYSTEM ? strerror(errno) : gai_strerror(code));
		return TROUBLE;
	}
}

/*
 * Either family will do. They are tried one after the other, the one of the last success first: in a cluster with one
 * family that halves the queries.
 */
static enum outcome look_up(struct lookups *lookups, const char *name, char trouble[LOOKUPS_TROUBLE_MAX])
{
	const int families[] = {lookups->family, lookups->family == AF_INET ? AF_INET6 : AF_INET};
	enum outcome outcome = MISSING;

	for (size_t i = 0; i < ARRAY_LEN(families) && outcome == MISSING; i++) {
		outcome = ask(name, families[i], trouble);
		if (outcome == RESOLVED)
			lookups->family = families[i];
	}
	return outcome;
}

static size_t misses_of_round(const struct peers *peers)
{
	const size_t misses = MISSES_OF_GROUP / peers->len;

	return misses < MISSES_MIN ? MISSES_MIN : misses;
}

static void note_resolved(struct lookups *lookups, size_t i)
{
	pthread_mutex_lock(&lookups->mutex);
	peers_resolve(lookups->peers, i);
	pthread_mutex_unlock(&lookups->mutex);
}

static void note_round(struct lookups *lookups, const char *trouble)
{
	const uint64_t one = 1;

	pthread_mutex_lock(&lookups->mutex);
	lookups->round_over = true;
	snprintf(lookups->trouble, sizeof(lookups->trouble), "%s", trouble);
	pthread_mutex_unlock(&lookups->mutex);
	/* It fails only if 2^64 rounds were reported and never read. */
	if (write(lookups->event_fd, &one, sizeof(one)) < 0)
		return;
}

/* Returns true if no peer is missing any more. */
static bool run_round(struct lookups *lookups)
{
	const struct peers *peers = lookups->peers;
	size_t misses_left = misses_of_round(peers);
	char trouble[sizeof(lookups->trouble)] = "";
	bool done;

	for (size_t i = 0; i < peers->len && misses_left > 0 && !trouble[0]; i++) {
		if (peers->list[i].resolved)
			continue;
		if (look_up(lookups, peers->list[i].name, trouble) == RESOLVED)
			note_resolved(lookups, i);
		else
			misses_left--;
	}
	done = peers->resolved == peers->len;
	note_round(lookups, trouble);
	return done;
}

static void *run(void *data)
{
	struct lookups *lookups = data;
	uint64_t delay = FIRST_DELAY;

	while (!run_round(lookups)) {
		const struct timespec pause = clock_timespec(delay);

		nanosleep(&pause, NULL);
		delay = delay * 2 < LAST_DELAY ? delay * 2 : LAST_DELAY;
	}
	return NULL;
}

int lookups_start(struct lookups *lookups, struct peers *peers, struct error *err)
{
	pthread_t thread;
	int code;

	*lookups = (struct lookups){.peers = peers, .family = AF_INET};
	lookups->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (lookups->event_fd < 0)
		return error_set(err, ERROR_SYSTEM, "eventfd: %s", strerror(errno));
	pthread_mutex_init(&lookups->mutex, NULL);
	code = pthread_create(&thread, NULL, run, lookups);
	if (code != 0)
		return error_set(err, ERROR_SYSTEM, "cannot start the thread for lookups: %s", strerror(code));
	pthread_detach(thread);
	return 0;
}

void lookups_report(struct lookups *lookups, size_t shown, struct lookups_report *ret_report)
{
	uint64_t rounds;

	/* Nothing to read means that no round has ended since. */
	if (read(lookups->event_fd, &rounds, sizeof(rounds)) < 0)
		rounds = 0;
	pthread_mutex_lock(&lookups->mutex);
	ret_report->resolved = lookups->peers->resolved;
	ret_report->round_over = lookups->round_over || ret_report->resolved == lookups->peers->len;
	peers_name_missing(lookups->peers, shown, ret_report->missing);
	memcpy(ret_report->trouble, lookups->trouble, sizeof(ret_report->trouble));
	pthread_mutex_unlock(&lookups->mutex);
}
