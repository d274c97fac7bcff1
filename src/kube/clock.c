#include "kube/clock.h"

#include <sys/random.h>
#include <time.h>

uint64_t kube_milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

unsigned kube_random(void)
{
	unsigned number = 0;

	return getrandom(&number, sizeof(number), GRND_NONBLOCK) < 0 ? 0 : number;
}
