#include "kube/clock.h"

#include <sys/random.h>
#include <time.h>

uint64_t kube_milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void kube_write_time(time_t time, char text[KUBE_TIME_SIZE])
{
	struct tm parts;

	gmtime_r(&time, &parts);
	if (strftime(text, KUBE_TIME_SIZE, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
		text[0] = '\0';
}

unsigned kube_random(void)
{
	unsigned number = 0;

	return getrandom(&number, sizeof(number), GRND_NONBLOCK) < 0 ? 0 : number;
}
