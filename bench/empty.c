/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bare_server.h"

/*
 * A webhook that allows whatever it is asked, and answers every review with the same patch where it is given one: all
 * that it spends is the API server's own work for a webhook, and for a patch.
 */

enum { UID_LEN = 36, ENVELOPE_MAX = 256 };

/* The patch is base64, as it stands in an answer, or NULL. The request's uid is the first one that the body holds. */
static struct MHD_Response *allow(const void *patch, const char *body, size_t len)
{
	const char *uid = strstr(body, "\"uid\":\"");
	size_t size = ENVELOPE_MAX + (patch ? strlen(patch) : 0);
	char *text;
	int used;

	(void)len;
	text = uid ? malloc(size) : NULL;
	if (!text)
		return NULL;
	used = snprintf(
		text, size,
		"{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\",\"response\":{\"uid\":\"%.*s\","
		"\"allowed\":true%s%s%s}}",
		UID_LEN, uid + strlen("\"uid\":\""), patch ? ",\"patchType\":\"JSONPatch\",\"patch\":\"" : "",
		patch ? (const char *)patch : "", patch ? "\"" : "");
	return MHD_create_response_from_buffer((size_t)used, text, MHD_RESPMEM_MUST_FREE);
}

int main(int argc, char **argv)
{
	if (argc != 4 && argc != 5) {
		fprintf(stderr, "usage: empty CERTIFICATE KEY THREADS [PATCH]\n");
		return 2;
	}
	return bare_serve(argv[1], argv[2], argv[3], allow, argc == 5 ? bare_read_file(argv[4]) : NULL);
}
