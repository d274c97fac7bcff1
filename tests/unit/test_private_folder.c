/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "suites.h"
#include "sys/private_folder.h"
#include "unit.h"

/* A folder of its own for a test, gone with its files at the end. */
struct scratch {
	char path[64];
};

static void scratch_init(struct scratch *scratch)
{
	snprintf(scratch->path, sizeof(scratch->path), "/tmp/test-folder-XXXXXX");
	CU_ASSERT_PTR_NOT_NULL(mkdtemp(scratch->path));
}

static void scratch_release(struct scratch *scratch)
{
	static const char *const names[] = {"in/one", "in/two", "in/.new.one", "in/.new.two"};
	char path[128];

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", scratch->path, names[i]);
		remove(path);
	}
	snprintf(path, sizeof(path), "%s/in", scratch->path);
	rmdir(path);
	rmdir(scratch->path);
}

static unsigned mode_of(const struct private_folder *folder, const char *name)
{
	struct stat status;

	return fstatat(folder->fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status.st_mode & 07777 : 0;
}

static bool holds(struct private_folder *folder, const char *name, const char *text)
{
	CLEANUP(buf_release) struct buf content;

	buf_init(&content, 64);
	return private_folder_read(folder, name, &content, NULL) == 0 && strcmp(buf_string(&content), text) == 0;
}

/* Writes one and two, both with the text. */
static int write_both(struct private_folder *folder, const char *text, bool replace, struct error *err)
{
	CLEANUP(buf_release) struct buf content;
	const struct private_folder_file files[] = {{"one", &content}, {"two", &content}};

	buf_init(&content, 64);
	buf_add_string(&content, text);
	return private_folder_write(folder, files, ARRAY_LEN(files), replace, err);
}

static void files_are_private_and_replaced_on_demand(void)
{
	CLEANUP(scratch_release) struct scratch scratch;
	CLEANUP(private_folder_release) struct private_folder folder = {.fd = -1};
	struct error err = {0};
	mode_t mask = umask(0);
	char path[128];

	scratch_init(&scratch);
	snprintf(path, sizeof(path), "%s/in", scratch.path);
	CU_ASSERT_EQUAL(private_folder_open(&folder, path, false, &err), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.message, path));
	CU_ASSERT_EQUAL(private_folder_open(&folder, path, true, &err), 0);
	CU_ASSERT_EQUAL(mode_of(&folder, "."), 0700);
	CU_ASSERT_EQUAL(write_both(&folder, "first", false, &err), 0);
	CU_ASSERT_EQUAL(mode_of(&folder, "one"), 0600);
	CU_ASSERT_EQUAL(mode_of(&folder, "two"), 0600);
	CU_ASSERT_TRUE(holds(&folder, "one", "first"));
	CU_ASSERT_EQUAL(write_both(&folder, "second", false, &err), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "/one exists"));
	CU_ASSERT_TRUE(holds(&folder, "one", "first"));
	CU_ASSERT_EQUAL(write_both(&folder, "second", true, &err), 0);
	CU_ASSERT_TRUE(holds(&folder, "one", "second"));
	CU_ASSERT_TRUE(holds(&folder, "two", "second"));
	umask(mask);
}

static void all_files_are_written_or_none(void)
{
	CLEANUP(scratch_release) struct scratch scratch;
	CLEANUP(private_folder_release) struct private_folder folder = {.fd = -1};
	struct error err = {0};
	char path[128];

	scratch_init(&scratch);
	snprintf(path, sizeof(path), "%s/in", scratch.path);
	CU_ASSERT_EQUAL(private_folder_open(&folder, path, true, &err), 0);
	CU_ASSERT_EQUAL(mkdirat(folder.fd, "two", 0700), 0);
	CU_ASSERT_EQUAL(write_both(&folder, "text", true, &err), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "/two is a folder"));
	CU_ASSERT_EQUAL(mode_of(&folder, "one"), 0);
	CU_ASSERT_EQUAL(unlinkat(folder.fd, "two", AT_REMOVEDIR), 0);
	/* A folder in the place of the second temporary: staging fails after the first one was written. */
	CU_ASSERT_EQUAL(mkdirat(folder.fd, ".new.two", 0700), 0);
	CU_ASSERT_EQUAL(write_both(&folder, "text", true, &err), -1);
	CU_ASSERT_EQUAL(mode_of(&folder, "one"), 0);
	CU_ASSERT_EQUAL(mode_of(&folder, ".new.one"), 0);
	CU_ASSERT_EQUAL(unlinkat(folder.fd, ".new.two", AT_REMOVEDIR), 0);
	CU_ASSERT_EQUAL(write_both(&folder, "text", false, &err), 0);
	CU_ASSERT_EQUAL(mode_of(&folder, ".new.one"), 0);
}

static void a_file_that_is_too_large_is_refused(void)
{
	CLEANUP(scratch_release) struct scratch scratch;
	CLEANUP(private_folder_release) struct private_folder folder = {.fd = -1};
	CLEANUP(buf_release) struct buf small;
	struct error err = {0};
	char path[128];

	buf_init(&small, 3);
	scratch_init(&scratch);
	snprintf(path, sizeof(path), "%s/in", scratch.path);
	CU_ASSERT_EQUAL(private_folder_open(&folder, path, true, &err), 0);
	CU_ASSERT_EQUAL(write_both(&folder, "four", false, &err), 0);
	CU_ASSERT_EQUAL(private_folder_read(&folder, "one", &small, &err), -1);
	CU_ASSERT_EQUAL(err.code, ERROR_INVALID);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "larger than 3 bytes"));
}

int add_private_folder_suite(void)
{
	static const struct unit_test tests[] = {
		{"files are private, and replaced on demand", files_are_private_and_replaced_on_demand},
		{"all files are written, or none", all_files_are_written_or_none},
		{"a file that is too large is refused", a_file_that_is_too_large_is_refused},
		{NULL, NULL},
	};

	return add_suite("private_folder", tests);
}
