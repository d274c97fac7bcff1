/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* The first process of each pod: holds its namespaces, reaps what it inherits, and ends when it is asked to. */

static void end(int number)
{
	_exit(number == SIGTERM || number == SIGINT ? 0 : 1);
}

static void reap(int number)
{
	(void)number;
	while (waitpid(-1, NULL, WNOHANG) > 0) {
	}
}

int main(void)
{
	struct sigaction ends = {.sa_handler = end};
	struct sigaction reaps = {.sa_handler = reap, .sa_flags = SA_NOCLDSTOP};

	sigaction(SIGTERM, &ends, NULL);
	sigaction(SIGINT, &ends, NULL);
	sigaction(SIGCHLD, &reaps, NULL);
	for (;;)
		pause();
}
