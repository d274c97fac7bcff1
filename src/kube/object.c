/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/object.h"

#include <string.h>

#include "base/base64.h"
#include "base/json.h"

enum { CHUNK = 768 }; /* bytes, a multiple of three */

bool object_is_plain(const char *text)
{
	return text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")] == '\0';
}

bool object_copy_plain(char *ret_copy, size_t size, const char *text)
{
	if (!text || strlen(text) >= size || !object_is_plain(text))
		return false;
	memcpy(ret_copy, text, strlen(text) + 1);
	return true;
}

const cJSON *object_parse(struct arena *arena, const char *kind, const char *json, size_t len, struct error *err)
{
	const cJSON *tree = json_parse(arena, json, len, err);
	const char *found = json_get_string(tree, "kind");

	if (!tree) {
		error_prefix(err, "%s", kind);
		return NULL;
	}
	if (!found || strcmp(found, kind) != 0) {
		error_set(err, ERROR_INVALID, "%s: it is of another kind", kind);
		return NULL;
	}
	return tree;
}

int object_read_version(const cJSON *object, char ret_version[OBJECT_VERSION_SIZE], struct error *err)
{
	const char *version = json_get_string(json_get_object(object, "metadata"), "resourceVersion");
	const char *kind = json_get_string(object, "kind");

	if (version && version[0] && object_copy_plain(ret_version, OBJECT_VERSION_SIZE, version))
		return 0;
	return error_set(err, ERROR_INVALID, "%s: it has no resourceVersion", kind ? kind : "an object");
}

void object_add_base64(struct buf *buf, const char *bytes, size_t len)
{
	char memory[2 * CHUNK];
	struct arena arena;

	arena_init_fixed(&arena, memory, sizeof(memory));
	while (len > 0) {
		const size_t chunk = len < CHUNK ? len : CHUNK;

		buf_add_string(buf, base64_encode(&arena, bytes, chunk));
		arena_reset(&arena);
		bytes += chunk;
		len -= chunk;
	}
	explicit_bzero(memory, sizeof(memory));
}
