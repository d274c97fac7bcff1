#include "cmd/options.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"

enum { VARIABLE_MAX = 96 };

/* "TFCONFIG_WEBHOOK_" and "--tls-cert" make "TFCONFIG_WEBHOOK_TLS_CERT". */
static const char *variable_name(char out[VARIABLE_MAX], const char *prefix, const char *flag)
{
	snprintf(out, VARIABLE_MAX, "%s%s", prefix, flag + 2);
	for (char *c = out; *c; c++)
		*c = (char)(*c == '-' ? '_' : toupper((unsigned char)*c));
	return out;
}

static void *field_of(const struct option *option, void *values)
{
	return (char *)values + option->offset;
}

static bool parse_number(const char *text, uint64_t *ret_number, const char **ret_rest)
{
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return false;
	errno = 0;
	*ret_number = strtoull(text, &end, 10);
	*ret_rest = end;
	return errno == 0;
}

/* A number with one of the units behind it; no unit is a factor of 1. */
static bool parse_scaled(const char *text, const char *const *units, const uint64_t *factors, uint64_t *ret_number)
{
	uint64_t number;
	const char *rest;

	if (!parse_number(text, &number, &rest))
		return false;
	if (!*rest) {
		*ret_number = number;
		return true;
	}
	for (size_t i = 0; units[i]; i++) {
		if (strcmp(rest, units[i]) != 0)
			continue;
		if (number > UINT64_MAX / factors[i])
			return false;
		*ret_number = number * factors[i];
		return true;
	}
	return false;
}

static bool parse_size(const char *text, uint64_t *ret_bytes)
{
	static const char *const units[] = {"Ki", "Mi", "Gi", NULL};
	static const uint64_t factors[] = {1 << 10, 1 << 20, 1 << 30};

	return parse_scaled(text, units, factors, ret_bytes);
}

static bool parse_duration(const char *text, uint64_t *ret_seconds)
{
	static const char *const units[] = {"s", "m", "h", NULL};
	static const uint64_t factors[] = {1, 60, 3600};

	return parse_scaled(text, units, factors, ret_seconds);
}

static bool parse_count(const char *text, uint64_t *ret_number)
{
	const char *rest;

	return parse_number(text, ret_number, &rest) && !*rest;
}

static bool address_is_valid(const char *text)
{
	const char *colon = strrchr(text, ':');
	uint64_t port;

	if (!colon || !parse_count(colon + 1, &port) || port > 65535)
		return false;
	if (text[0] == '[')
		return colon > text + 1 && colon[-1] == ']';
	return !memchr(text, ':', (size_t)(colon - text));
}

/* What a node makes of it, it tells; no image's name holds a blank or what is not ASCII. */
static bool image_is_valid(const char *text)
{
	const char *c = text;

	while (isgraph((unsigned char)*c))
		c++;
	return c > text && !*c;
}

static bool within(const struct option *option, uint64_t number)
{
	if (option->min == 0 && option->max == 0)
		return true;
	return number >= option->min && number <= option->max;
}

/* What the option allows, for the end of an error. */
static void describe_allowed(const struct option *option, char *out, size_t size)
{
	size_t len = 0;

	switch (option->type) {
	case OPTION_FLAG:
		snprintf(out, size, "true or false");
		return;
	case OPTION_STRING:
		snprintf(out, size, "a text that is not empty");
		return;
	case OPTION_LIST:
		snprintf(out, size, "a text that is not empty, at most %d times", OPTION_LIST_MAX);
		return;
	case OPTION_NAME:
		snprintf(out, size, "a DNS label: lower-case letters, digits and '-', at most 63 characters");
		return;
	case OPTION_DOMAIN:
		snprintf(out, size, "a DNS name such as cluster.local");
		return;
	case OPTION_IMAGE:
		snprintf(out, size, "a container image such as registry.example.com/team/tfconfig-webhook:1.0");
		return;
	case OPTION_ADDRESS:
		snprintf(out, size, "ADDR:PORT such as [::]:8443, 127.0.0.1:8443 or :8443, port 0 to 65535");
		return;
	case OPTION_COUNT:
		snprintf(out, size, "a whole number from %llu to %llu", (unsigned long long)option->min,
			 (unsigned long long)option->max);
		return;
	case OPTION_SIZE:
		snprintf(out, size, "a size such as 48Mi (Ki, Mi, Gi or bytes), from %llu to %llu bytes",
			 (unsigned long long)option->min, (unsigned long long)option->max);
		return;
	case OPTION_DURATION:
		snprintf(out, size, "a duration such as 10s, 2m or 1h, from %llu to %llu seconds",
			 (unsigned long long)option->min, (unsigned long long)option->max);
		return;
	case OPTION_ENUM:
		out[0] = '\0';
		for (size_t i = 0; option->choices[i] && len < size; i++)
			len += (size_t)snprintf(out + len, size - len, "%s%s", i ? ", " : "", option->choices[i]);
		return;
	}
}

static bool store_number(const struct option *option, uint64_t number, void *field)
{
	if (!within(option, number))
		return false;
	if (option->type == OPTION_SIZE)
		*(size_t *)field = (size_t)number;
	else
		*(unsigned *)field = (unsigned)number;
	return true;
}

static bool store_text(bool allowed, const char *text, void *field)
{
	if (allowed)
		*(const char **)field = text;
	return allowed;
}

static bool store_one_more(const char *text, struct option_list *list)
{
	if (!text[0] || list->len == OPTION_LIST_MAX)
		return false;
	list->texts[list->len++] = text;
	return true;
}

/* Checks the text and stores the value; false, and nothing stored, where the text is not allowed. */
static bool store(const struct option *option, const char *text, void *field)
{
	uint64_t number;

	switch (option->type) {
	case OPTION_FLAG:
		if (strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
			return false;
		*(bool *)field = text[0] == 't';
		return true;
	case OPTION_STRING:
		return store_text(text[0] != '\0', text, field);
	case OPTION_NAME:
		return store_text(name_is_dns_label(text), text, field);
	case OPTION_DOMAIN:
		return store_text(name_is_dns_name(text), text, field);
	case OPTION_IMAGE:
		return store_text(image_is_valid(text), text, field);
	case OPTION_ADDRESS:
		return store_text(address_is_valid(text), text, field);
	case OPTION_COUNT:
		return parse_count(text, &number) && store_number(option, number, field);
	case OPTION_SIZE:
		return parse_size(text, &number) && store_number(option, number, field);
	case OPTION_DURATION:
		return parse_duration(text, &number) && store_number(option, number, field);
	case OPTION_LIST:
		return store_one_more(text, field);
	case OPTION_ENUM:
		for (unsigned i = 0; option->choices[i]; i++) {
			if (strcmp(option->choices[i], text) == 0) {
				*(unsigned *)field = i;
				return true;
			}
		}
		return false;
	}
	return false;
}

/* `where` is the flag or the variable that held the text. */
static int set_option(struct options *options, size_t i, const char *text, enum option_source source, const char *where,
		      void *values, struct error *err)
{
	const struct option *option = &options->table[i];
	char allowed[256];

	if (!store(option, text, field_of(option, values))) {
		describe_allowed(option, allowed, sizeof(allowed));
		return error_set(err, ERROR_USAGE, "%s is \"%s\": allowed is %s", where, text, allowed);
	}
	options->text[i] = text;
	options->source[i] = source;
	return 0;
}

static int set_default(struct options *options, size_t i, void *values)
{
	const struct option *option = &options->table[i];
	void *field = field_of(option, values);

	options->source[i] = OPTION_FROM_DEFAULT;
	options->text[i] = option->type == OPTION_FLAG ? "false" : option->fallback;
	if (option->fallback && option->fallback[0])
		return store(option, option->fallback, field) ? 0 : -1;
	switch (option->type) {
	case OPTION_FLAG:
		*(bool *)field = false;
		break;
	case OPTION_SIZE:
		*(size_t *)field = 0;
		break;
	case OPTION_COUNT:
	case OPTION_DURATION:
	case OPTION_ENUM:
		*(unsigned *)field = 0;
		break;
	case OPTION_STRING:
	case OPTION_NAME:
	case OPTION_DOMAIN:
	case OPTION_IMAGE:
	case OPTION_ADDRESS:
		*(const char **)field = option->fallback;
		break;
	case OPTION_LIST:
		((struct option_list *)field)->len = 0;
		break;
	}
	return 0;
}

static int read_environment(struct options *options, void *values, struct error *err)
{
	char variable[VARIABLE_MAX];

	for (size_t i = 0; options->table[i].flag; i++) {
		const char *text;

		if (set_default(options, i, values) < 0)
			return error_set(err, ERROR_USAGE, "the default of %s is not allowed", options->table[i].flag);
		if (!options->env_prefix)
			continue;
		text = getenv(variable_name(variable, options->env_prefix, options->table[i].flag));
		if (text && set_option(options, i, text, OPTION_FROM_ENVIRONMENT, variable, values, err) < 0)
			return -1;
	}
	return 0;
}

/* True where the argument is "flag" or "flag=value"; where its value begins, or NULL. */
static bool names_flag(const char *argument, const char *flag, const char **ret_value)
{
	size_t len = flag ? strlen(flag) : 0;

	if (len == 0 || strncmp(argument, flag, len) != 0 || (argument[len] != '\0' && argument[len] != '='))
		return false;
	*ret_value = argument[len] ? argument + len + 1 : NULL;
	return true;
}

/* The option that the argument names, and where its value begins ("--flag=value") or NULL. */
static const struct option *find_option(const struct option *table, const char *argument, const char **ret_value)
{
	for (const struct option *option = table; option->flag; option++) {
		if (names_flag(argument, option->flag, ret_value) || names_flag(argument, option->alias, ret_value))
			return option;
	}
	return NULL;
}

static int read_arguments(struct options *options, int argc, char *const *argv, void *values, struct error *err)
{
	for (int i = 0; i < argc; i++) {
		const char *value = NULL;
		const struct option *option = find_option(options->table, argv[i], &value);

		if (!option)
			return error_set(err, ERROR_USAGE, "unknown %s \"%s\": --help lists what there is",
					 argv[i][0] == '-' ? "flag" : "argument", argv[i]);
		if (!value && option->type == OPTION_FLAG)
			value = "true";
		else if (!value && ++i < argc)
			value = argv[i];
		if (!value)
			return error_set(err, ERROR_USAGE, "%s needs a value: %s", option->flag, option->value);
		if (set_option(options, (size_t)(option - options->table), value, OPTION_FROM_FLAG, option->flag,
			       values, err) < 0)
			return -1;
	}
	return 0;
}

int options_parse(struct options *options, const struct option *table, const char *env_prefix, int argc,
		  char *const *argv, void *values, struct error *err)
{
	*options = (struct options){.table = table, .env_prefix = env_prefix};
	if (read_environment(options, values, err) < 0 || read_arguments(options, argc, argv, values, err) < 0)
		return -1;
	for (size_t i = 0; table[i].flag; i++) {
		if (table[i].required && !options->text[i])
			return error_set(err, ERROR_USAGE, "%s is missing: %s", table[i].flag, table[i].help);
	}
	return 0;
}

bool options_is_set(const struct options *options, const char *flag)
{
	const char *value = NULL;
	const struct option *option = find_option(options->table, flag, &value);

	return option && options->source[option - options->table] != OPTION_FROM_DEFAULT;
}

static void print_text(const struct option *table, const char *env_prefix)
{
	char variable[VARIABLE_MAX];

	for (const struct option *option = table; option->flag; option++) {
		if (option->hidden)
			continue;
		printf("  %s%s%s%s%s\n", option->alias ? option->alias : "", option->alias ? ", " : "", option->flag,
		       option->value ? " " : "", option->value ? option->value : "");
		printf("      %s", option->help);
		if (option->fallback)
			printf(" (default: %s)", option->fallback[0] ? option->fallback : "none");
		putchar('\n');
		if (env_prefix)
			printf("      %s\n", variable_name(variable, env_prefix, option->flag));
	}
}

static void print_markdown(const struct option *table, const char *env_prefix)
{
	char variable[VARIABLE_MAX];

	printf("| flag | variable | default | what |\n|---|---|---|---|\n");
	for (const struct option *option = table; option->flag; option++) {
		if (option->hidden)
			continue;
		printf("| `%s%s%s` | ", option->flag, option->value ? " " : "", option->value ? option->value : "");
		if (env_prefix)
			printf("`%s`", variable_name(variable, env_prefix, option->flag));
		if (option->fallback && option->fallback[0])
			printf(" | `%s` | %s |\n", option->fallback, option->help);
		else
			printf(" | %s | %s |\n", option->required ? "required" : "none", option->help);
	}
}

bool options_help(int argc, char *const *argv, const char *usage, const struct option *table, const char *env_prefix)
{
	for (int i = 0; i < argc; i++) {
		if (strcmp(argv[i], "--help=markdown") == 0) {
			print_markdown(table, env_prefix);
			return true;
		}
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
			printf("%s\n", usage);
			print_text(table, env_prefix);
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
