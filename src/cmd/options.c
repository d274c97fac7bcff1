/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/options.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { VARIABLE_MAX = 96 };

/* "TFCONFIG_WEBHOOK_" and "--tls-cert" make "TFCONFIG_WEBHOOK_TLS_CERT". */
static const char *variable_name(char ret_name[VARIABLE_MAX], const char *prefix, const char *flag)
{
	snprintf(ret_name, VARIABLE_MAX, "%s%s", prefix, flag + 2);
	for (char *c = ret_name; *c; c++)
		*c = (char)(*c == '-' ? '_' : toupper((unsigned char)*c));
	return ret_name;
}

/* A value as the user gave it. */
struct setting {
	const char *name; /* of the flag or the variable that held it */
	const char *text;
	enum option_source source;
};

static int set_option(struct options *options, size_t i, const struct setting *setting, struct error *err)
{
	const struct option *option = &options->table[i];
	char allowed[OPTION_ALLOWED_MAX];

	if (!option_store(option, setting->text, options->settings)) {
		option_describe_allowed(option, allowed);
		return error_set(err, ERROR_USAGE, "%s is \"%s\": allowed is %s", setting->name, setting->text,
				 allowed);
	}
	options->text[i] = setting->text;
	options->source[i] = setting->source;
	return 0;
}

static int set_defaults(struct options *options, struct error *err)
{
	for (size_t i = 0; options->table[i].flag; i++) {
		const struct option *option = &options->table[i];

		options->source[i] = OPTION_FROM_DEFAULT;
		options->text[i] = option->type == OPTION_FLAG ? "false" : option->fallback;
		if (!option_store_default(option, options->settings))
			return error_set(err, ERROR_USAGE, "the default of %s is not allowed", option->flag);
	}
	return 0;
}

static int read_environment(struct options *options, struct error *err)
{
	char variable[VARIABLE_MAX];

	for (size_t i = 0; options->env_prefix && options->table[i].flag; i++) {
		struct setting setting = {
			.name = variable_name(variable, options->env_prefix, options->table[i].flag),
			.source = OPTION_FROM_ENVIRONMENT,
		};

		setting.text = getenv(setting.name);
		if (setting.text && set_option(options, i, &setting, err) < 0)
			return -1;
	}
	return 0;
}

/* True if the argument is "flag" or "flag=value"; *ret_value is then where the value begins, or NULL. */
static bool names_flag(const char *argument, const char *flag, const char **ret_value)
{
	size_t len = flag ? strlen(flag) : 0;

	if (len == 0 || strncmp(argument, flag, len) != 0 || (argument[len] != '\0' && argument[len] != '='))
		return false;
	*ret_value = argument[len] ? argument + len + 1 : NULL;
	return true;
}

/* The option that the argument names; *ret_value as in names_flag. */
static const struct option *find_option(const struct option *table, const char *argument, const char **ret_value)
{
	for (const struct option *option = table; option->flag; option++) {
		if (names_flag(argument, option->flag, ret_value) || names_flag(argument, option->alias, ret_value))
			return option;
	}
	return NULL;
}

static int read_arguments(struct options *options, int argc, char *const *argv, struct error *err)
{
	for (int i = 0; i < argc; i++) {
		struct setting setting = {.source = OPTION_FROM_FLAG};
		const struct option *option = find_option(options->table, argv[i], &setting.text);

		if (!option)
			return error_set(err, ERROR_USAGE, "unknown %s \"%s\": --help lists what there is",
					 argv[i][0] == '-' ? "flag" : "argument", argv[i]);
		if (!setting.text && option->type == OPTION_FLAG)
			setting.text = "true";
		else if (!setting.text && ++i < argc)
			setting.text = argv[i];
		if (!setting.text)
			return error_set(err, ERROR_USAGE, "%s needs a value: %s", option->flag, option->value);
		setting.name = option->flag;
		if (set_option(options, (size_t)(option - options->table), &setting, err) < 0)
			return -1;
	}
	return 0;
}

int options_parse(struct options *options, int argc, char *const *argv, struct error *err)
{
	if (set_defaults(options, err) < 0 || read_environment(options, err) < 0 ||
	    read_arguments(options, argc, argv, err) < 0)
		return -1;
	for (const struct option *option = options->table; option->flag; option++) {
		if (option->required && !options->text[option - options->table])
			return error_set(err, ERROR_USAGE, "%s is missing: %s", option->flag, option->help);
	}
	return 0;
}

bool options_is_set(const struct options *options, const char *flag)
{
	const char *value = NULL;
	const struct option *option = find_option(options->table, flag, &value);

	return option && options->source[option - options->table] != OPTION_FROM_DEFAULT;
}

static void print_text(const struct options *options)
{
	char variable[VARIABLE_MAX];

	for (const struct option *option = options->table; option->flag; option++) {
		if (option->hidden)
			continue;
		printf("  %s%s%s%s%s\n", option->alias ? option->alias : "", option->alias ? ", " : "", option->flag,
		       option->value ? " " : "", option->value ? option->value : "");
		printf("      %s", option->help);
		if (option->fallback)
			printf(" (default: %s)", option->fallback[0] ? option->fallback : "none");
		putchar('\n');
		if (options->env_prefix)
			printf("      %s\n", variable_name(variable, options->env_prefix, option->flag));
	}
}

static void print_markdown(const struct options *options)
{
	char variable[VARIABLE_MAX];

	printf("| flag | variable | default | what |\n|---|---|---|---|\n");
	for (const struct option *option = options->table; option->flag; option++) {
		if (option->hidden)
			continue;
		printf("| `%s%s%s` | ", option->flag, option->value ? " " : "", option->value ? option->value : "");
		if (options->env_prefix)
			printf("`%s`", variable_name(variable, options->env_prefix, option->flag));
		if (option->fallback && option->fallback[0])
			printf(" | `%s` | %s |\n", option->fallback, option->help);
		else
			printf(" | %s | %s |\n", option->required ? "required" : "none", option->help);
	}
}

bool options_help(const struct options *options, int argc, char *const *argv)
{
	for (int i = 0; i < argc; i++) {
		if (strcmp(argv[i], "--help=markdown") == 0) {
			print_markdown(options);
			return true;
		}
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
			printf("%s\n", options->usage);
			print_text(options);
			return true;
		}
	}
	return false;
}

void options_print_config(FILE *file, const struct options *options)
{
	char variable[VARIABLE_MAX];

	for (size_t i = 0; options->table[i].flag; i++) {
		const char *flag = options->table[i].flag;

		if (options->table[i].hidden && options->source[i] == OPTION_FROM_DEFAULT)
			continue;
		fprintf(file, "%s %s ", flag, options->text[i] && options->text[i][0] ? options->text[i] : "none");
		switch (options->source[i]) {
		case OPTION_FROM_DEFAULT:
			fprintf(file, "(default)\n");
			break;
		case OPTION_FROM_ENVIRONMENT:
			fprintf(file, "(from %s)\n", variable_name(variable, options->env_prefix, flag));
			break;
		case OPTION_FROM_FLAG:
			fprintf(file, "(from the command line)\n");
			break;
		}
	}
}
