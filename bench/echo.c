/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "bare_server.h"

/* Sends the request's body back. */

static struct MHD_Response *echo(const void *context, const char *body, size_t len)
{
	(void)context;
	return MHD_create_response_from_buffer(len, (void *)(size_t)(const void *)body, MHD_RESPMEM_MUST_COPY);
}

int main(int argc, char **argv)
{
	if (argc != 4) {
		fprintf(stderr, "usage: echo CERTIFICATE KEY THREADS\n");
		return 2;
	}
	return bare_serve(argv[1], argv[2], argv[3], echo, NULL);
}
