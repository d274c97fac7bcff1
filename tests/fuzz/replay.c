/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

/* Runs the fuzz target on files, without a fuzzer: to look at a crash with gdb or valgrind, or to replay a corpus. */

enum { FILE_MAX = 8 * 1024 * 1024 };

int main(int argc, char **argv)
{
	uint8_t *data = malloc(FILE_MAX);

	if (!data || LLVMFuzzerInitialize(&argc, &argv) != 0)
		return 1;
	for (int i = 1; i < argc; i++) {
		FILE *file = fopen(argv[i], "rb");
		size_t size;

		if (!file) {
			perror(argv[i]);
			free(data);
			return 1;
		}
		size = fread(data, 1, FILE_MAX, file);
		fclose(file);
		LLVMFuzzerTestOneInput(data, size);
	}
	free(data);
	printf("%d files replayed\n", argc - 1);
	return 0;
}
