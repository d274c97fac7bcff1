/* SPDX-License-Identifier: Apache-2.0 */
#include "pki/wipe.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/crypto.h>

/* Like OpenSSL's own: NULL for 0 bytes. */
static void *allocate(size_t size, const char *file, int line)
{
	(void)file;
	(void)line;
	return size ? malloc(size) : NULL;
}

static void release(void *memory, const char *file, int line)
{
	(void)file;
	(void)line;
	if (memory)
		explicit_bzero(memory, malloc_usable_size(memory));
	free(memory);
}

static void *resize(void *memory, size_t size, const char *file, int line)
{
	const size_t old_size = memory ? malloc_usable_size(memory) : 0;
	void *resized = allocate(size, file, line);

	if (size && !resized)
		return NULL; /* and the old memory stays */
	if (memory && resized)
		memcpy(resized, memory, old_size < size ? old_size : size);
	release(memory, file, line);
	return resized;
}

bool wipe_hook_openssl(void)
{
	return CRYPTO_set_mem_functions(allocate, resize, release) == 1;
}
