/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/random.h"

#include <sys/random.h>

unsigned random_number(void)
{
	unsigned number = 0;

	return getrandom(&number, sizeof(number), GRND_NONBLOCK) < 0 ? 0 : number;
}
