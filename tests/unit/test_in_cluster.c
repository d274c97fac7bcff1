/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "kube/in_cluster.h"
#include "suites.h"
#include "unit.h"

static const char *const files[] = {"ca.crt", "token", "namespace"};

static void set_environment(const char *host, const char *port)
{
	if (host)
		setenv("KUBERNETES_SERVICE_HOST", host, 1);
	else
		unsetenv("KUBERNETES_SERVICE_HOST");
	if (port)
		setenv("KUBERNETES_SERVICE_PORT", port, 1);
	else
		unsetenv("KUBERNETES_SERVICE_PORT");
}

static void write_file(const char *folder, const char *name, const char *text)
{
	char path[300];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "we");
	CU_ASSERT(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void remove_file(const char *folder, const char *name)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	unlink(path);
}

/* A folder as the kubelet mounts it, in `folder`. */
static void make_folder(char folder[64])
{
	strcpy(folder, "/tmp/in-cluster-XXXXXX");
	CU_ASSERT(mkdtemp(folder) != NULL);
	write_file(folder, "ca.crt", "CA");
	write_file(folder, "token", "token");
	write_file(folder, "namespace", "tfconfig-system\n");
}

static void end(const char *folder)
{
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		remove_file(folder, files[i]);
	rmdir(folder);
	set_environment(NULL, NULL);
}

static void a_pod_finds_its_api_server(void)
{
	static const struct {
		const char *host, *port, *server; /* "": none */
	} rows[] = {
		{"10.96.0.1", "443", "https://10.96.0.1:443"},
		{"fd00::1", "6443", "https://[fd00::1]:6443"},
		{"api.Cluster-1.example", "443", "https://api.Cluster-1.example:443"},
		{NULL, "443", ""},
		{"", "443", ""},
		{"10.96.0.1", NULL, ""},
		{"10.96.0.1", "", ""},
		{"10.96.0.1", "0", ""},
		{"10.96.0.1", "65536", ""},
		{"10.96.0.1", "443x", ""},
		{"10.96.0.1/", "443", ""},
		{"user@10.96.0.1", "443", ""},
		{"10.96.0.1 ", "443", ""},
		{"[fd00::1]", "443", ""},
	};
	char folder[64];

	make_folder(folder);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct kube_client_config config = {0};
		struct error err = {0};
		char row[64];

		snprintf(row, sizeof(row), "%s %s", rows[i].host ? rows[i].host : "-",
			 rows[i].port ? rows[i].port : "-");
		set_environment(rows[i].host, rows[i].port);
		CHECK_ROW((kube_find_in_cluster(folder, &config, &err) == 0) == (rows[i].server[0] != '\0'), row);
		CHECK_ROW(strcmp(config.server, rows[i].server) == 0, row);
		CHECK_ROW((err.code == ERROR_INVALID) == (rows[i].server[0] == '\0'), row);
	}
	end(folder);
}

static void the_longest_host_fits_and_a_longer_one_does_not(void)
{
	struct kube_client_config config = {0};
	struct error err;
	char folder[64];
	char host[301];

	make_folder(folder);
	memset(host, 'x', sizeof(host));
	host[sizeof(config.server) - 1 - strlen("https://:443")] = '\0';
	set_environment(host, "443");
	CU_ASSERT(kube_find_in_cluster(folder, &config, &err) == 0);
	CU_ASSERT(strlen(config.server) == sizeof(config.server) - 1);
	strcat(host, "x");
	set_environment(host, "443");
	CU_ASSERT(kube_find_in_cluster(folder, &config, &err) < 0);
	CHECK_STRING(err.message, "KUBERNETES_SERVICE_HOST is too long");
	end(folder);
}

static void the_files_are_found_and_the_namespace_is_read(void)
{
	struct kube_client_config config = {0};
	struct error err;
	char folder[64];
	char path[128];

	make_folder(folder);
	set_environment("10.96.0.1", "443");
	CU_ASSERT(kube_find_in_cluster(folder, &config, &err) == 0);
	CHECK_STRING(config.namespace, "tfconfig-system");
	snprintf(path, sizeof(path), "%s/ca.crt", folder);
	CHECK_STRING(config.ca_file, path);
	snprintf(path, sizeof(path), "%s/token", folder);
	CHECK_STRING(config.token_file, path);
	end(folder);
}

static void a_file_that_is_missing_is_named(void)
{
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		struct kube_client_config config = {.namespace = "untouched"};
		struct error err = {0};
		char folder[64];
		char expected[256];

		make_folder(folder);
		remove_file(folder, files[i]);
		set_environment("10.96.0.1", "443");
		CU_ASSERT(kube_find_in_cluster(folder, &config, &err) < 0);
		CU_ASSERT(err.code == ERROR_INVALID);
		snprintf(expected, sizeof(expected),
			 "%s/%s: No such file or directory: a pod must mount its service account's token", folder,
			 files[i]);
		CHECK_STRING(err.message, expected);
		CHECK_STRING(config.namespace, "untouched");
		end(folder);
	}
}

static void an_invalid_namespace_is_refused(void)
{
	static const char *const texts[] = {
		"",           "\n", "Upper", "two words",
		"dots.in.it", "-x", "../..", "sixty-four-characters-are-one-more-than-a-label-may-have-in-all--x"};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct kube_client_config config;
		struct error err;
		char folder[64];

		make_folder(folder);
		write_file(folder, "namespace", texts[i]);
		set_environment("10.96.0.1", "443");
		CHECK_ROW(kube_find_in_cluster(folder, &config, &err) < 0, texts[i]);
		CHECK_ROW(strstr(err.message, "does not hold the name of a namespace") != NULL, texts[i]);
		end(folder);
	}
}

static void a_folder_whose_name_is_too_long_is_refused(void)
{
	struct kube_client_config config;
	struct error err;
	char folder[400];

	memset(folder, 'x', sizeof(folder));
	folder[sizeof(folder) - 1] = '\0';
	set_environment("10.96.0.1", "443");
	CU_ASSERT(kube_find_in_cluster(folder, &config, &err) < 0);
	CU_ASSERT(err.code == ERROR_INVALID);
	set_environment(NULL, NULL);
}

int add_in_cluster_suite(void)
{
	static const struct unit_test tests[] = {
		{"a pod finds its API server", a_pod_finds_its_api_server},
		{"the longest host fits, and a longer one does not", the_longest_host_fits_and_a_longer_one_does_not},
		{"the files are found, and the namespace is read", the_files_are_found_and_the_namespace_is_read},
		{"a file that is missing is named", a_file_that_is_missing_is_named},
		{"an invalid namespace is refused", an_invalid_namespace_is_refused},
		{"a folder whose name is too long is refused", a_folder_whose_name_is_too_long_is_refused},
		{NULL, NULL},
	};

	return add_suite("in-cluster configuration", tests);
}
