/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "suites.h"
#include "sys/file.h"
#include "unit.h"

enum { LARGE = 40 * 1024 }; /* bytes: more than one read brings */

/* A file of that many bytes; false where it can't be made. */
static bool make_file(char path[32], size_t len)
{
	int fd;
	bool made;

	strcpy(path, "/tmp/unit-file-XXXXXX");
	fd = mkstemp(path);
	if (fd < 0)
		return false;
	made = true;
	for (size_t i = 0; i < len && made; i++)
		made = write(fd, i % 2 ? "b" : "a", 1) == 1;
	close(fd);
	return made;
}

static void a_file_is_read_whole(void)
{
	static const size_t sizes[] = {0, 1, LARGE};

	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		CLEANUP(buf_release) struct buf content;
		struct error err;
		char path[32];

		buf_init(&content, LARGE);
		CU_ASSERT(make_file(path, sizes[i]));
		CU_ASSERT_EQUAL(file_read(path, &content, &err), 0);
		CU_ASSERT_EQUAL(content.len, sizes[i]);
		CU_ASSERT(sizes[i] < 2 || strcmp(buf_string(&content) + sizes[i] - 2, i == 2 ? "ab" : "") == 0);
		unlink(path);
	}
}

static void one_byte_too_many_is_an_error_that_names_the_file(void)
{
	CLEANUP(buf_release) struct buf content;
	char path[32], expected[64];
	struct error err;

	buf_init(&content, LARGE - 1);
	CU_ASSERT(make_file(path, LARGE));
	CU_ASSERT_EQUAL(file_read(path, &content, &err), -1);
	CU_ASSERT_EQUAL(err.code, ERROR_INVALID);
	snprintf(expected, sizeof(expected), "%s has more than %d bytes", path, LARGE - 1);
	CHECK_STRING(err.message, expected);
	unlink(path);
}

static void what_cannot_be_read_is_an_error_that_names_the_file(void)
{
	CLEANUP(buf_release) struct buf content;
	struct error err;

	buf_init(&content, 16);
	CU_ASSERT_EQUAL(file_read("/tmp/unit-file-missing", &content, &err), -1);
	CU_ASSERT_EQUAL(err.code, ERROR_SYSTEM);
	CHECK_STRING(err.message, "cannot read /tmp/unit-file-missing: No such file or directory");
	CU_ASSERT_EQUAL(file_read("/tmp", &content, &err), -1);
	CU_ASSERT_EQUAL(err.code, ERROR_SYSTEM);
	CHECK_STRING(err.message, "cannot read /tmp: Is a directory");
}

static void a_descriptor_adds_to_what_the_buffer_holds(void)
{
	CLEANUP(buf_release) struct buf content;
	int ends[2];

	buf_init(&content, 16);
	buf_add_string(&content, "before ");
	CU_ASSERT_EQUAL(pipe(ends), 0);
	CU_ASSERT_EQUAL(write(ends[1], "after", 5), 5);
	file_close(&ends[1]);
	CU_ASSERT_EQUAL(file_read_descriptor(ends[0], &content), 0);
	CHECK_STRING(buf_string(&content), "before after");
	file_close(&ends[0]);
	errno = 0;
	CU_ASSERT_EQUAL(file_read_descriptor(ends[0], &content), -1);
	CU_ASSERT_EQUAL(errno, EBADF);
}

static void a_descriptor_that_is_not_open_is_not_closed(void)
{
	const int none = -1;

	errno = 0;
	file_close(&none);
	CU_ASSERT_EQUAL(errno, 0);
}

int add_file_suite(void)
{
	static const struct unit_test tests[] = {
		{"a file is read whole", a_file_is_read_whole},
		{"one byte too many is an error that names the file",
		 one_byte_too_many_is_an_error_that_names_the_file},
		{"what cannot be read is an error that names the file",
		 what_cannot_be_read_is_an_error_that_names_the_file},
		{"a descriptor adds to what the buffer holds", a_descriptor_adds_to_what_the_buffer_holds},
		{"a descriptor that is not open is not closed", a_descriptor_that_is_not_open_is_not_closed},
		{NULL, NULL},
	};

	return add_suite("file", tests);
}
