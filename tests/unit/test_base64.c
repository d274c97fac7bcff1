/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/base64.h"
#include "suites.h"
#include "unit.h"

/* The definition, as plainly as it can be written, to compare libb64 with. */
static void reference(const unsigned char *bytes, size_t len, char *out)
{
	static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < len; i += 3) {
		unsigned group = (unsigned)bytes[i] << 16;

		if (i + 1 < len)
			group |= (unsigned)bytes[i + 1] << 8;
		if (i + 2 < len)
			group |= bytes[i + 2];
		*out++ = alphabet[group >> 18];
		*out++ = alphabet[group >> 12 & 63];
		*out++ = i + 1 < len ? alphabet[group >> 6 & 63] : '=';
		*out++ = i + 2 < len ? alphabet[group & 63] : '=';
	}
	*out = '\0';
}

static void every_length_is_one_line_and_reads_back(void)
{
	unsigned char bytes[3000];
	char expected[4100];
	struct unit_arena unit;
	struct arena *arena = unit_arena_begin(&unit);

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(i * 151 + i / 251);
	for (size_t len = 0; len < sizeof(bytes); len++) {
		const char *text = base64_encode(arena, (const char *)bytes, len);
		const char *quoted = base64_encode_quoted(arena, (const char *)bytes, len);
		size_t decoded_len = 0;
		const char *decoded;

		reference(bytes, len, expected);
		CHECK_STRING(text, expected);
		CU_ASSERT(text && base64_is_valid(text));
		CHECK_STRING(quoted, arena_printf(arena, "\"%s\"", expected));
		decoded = text ? base64_decode(arena, text, &decoded_len) : NULL;
		CU_ASSERT(decoded && decoded_len == len && memcmp(decoded, bytes, len) == 0);
		arena_reset(arena);
	}
	unit_arena_end(&unit);
}

static void what_no_encoder_writes_is_not_valid(void)
{
	static const char *const invalid[] = {"=",      "==",       "===",    "====",     "A",     "AA",
					      "AAA",    "A===",     "AB==",   "AAB=",     "AA=A",  "AA==AAAA",
					      "AAAA\n", "AA-A",     "AA_A",   "A A=",     "AAAA=", "AAA\xc3",
					      "\nAAAA", "AAAAA===", "QUJDRA", "QUJD RA=", "*AAA"};
	static const char *const valid[] = {"", "AA==", "AAA=", "AAAA", "+/+/", "QUJDRA==", "Zm9vYmE="};

	for (size_t i = 0; i < ARRAY_LEN(invalid); i++)
		CHECK_ROW(!base64_is_valid(invalid[i]), invalid[i]);
	for (size_t i = 0; i < ARRAY_LEN(valid); i++)
		CHECK_ROW(base64_is_valid(valid[i]), valid[i]);
}

static void a_full_arena_gives_no_text(void)
{
	char memory[64];
	struct arena arena;

	arena_init_fixed(&arena, memory, sizeof(memory));
	CU_ASSERT(base64_encode(&arena, memory, 1000) == NULL);
	arena_init_fixed(&arena, memory, sizeof(memory));
	CU_ASSERT(base64_encode_quoted(&arena, memory, 1000) == NULL);
}

int add_base64_suite(void)
{
	static const struct unit_test tests[] = {
		{"every length is one line and reads back", every_length_is_one_line_and_reads_back},
		{"what no encoder writes is not valid", what_no_encoder_writes_is_not_valid},
		{"a full arena gives no text", a_full_arena_gives_no_text},
		{NULL, NULL},
	};

	return add_suite("base64", tests);
}
