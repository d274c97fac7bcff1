#ifndef RENDER_PRINT_H
#define RENDER_PRINT_H

#include <stdbool.h>
#include <stdio.h>

#include "render/report.h"

/*
 * What `render` prints, in each of its forms. A set is begun, then come its pods, then it is ended; each is printed as
 * it is found, and nothing is kept, since the values of a large group are hundreds of megabytes together. Errors of
 * writing stay in the file (ferror).
 */

enum print_format {
	PRINT_TEXT, /* to be read */
	PRINT_JSON, /* an object for each set, one a line */
	PRINT_YAML, /* the same as documents */
	PRINT_ENV,  /* one pod's variable for a shell; what else there is to say goes to stderr */
};
#define PRINT_FORMATS (PRINT_ENV + 1)

enum {
	PRINT_ENDS = 5,         /* of many pods, so many of the first and of the last are shown */
	PRINT_VALUE_MAX = 1000, /* bytes of a value to be read; a longer one is cut */
};

struct print {
	FILE *file;
	bool whole;     /* no value is cut */
	bool follows;   /* something was printed before this set */
	unsigned pods;  /* of this set printed so far */
	int name_width; /* of its pods' names; of "worker 10" */
	int task_width;
};

struct printer {
	void (*begin)(struct print *print, const struct set_report *set);
	void (*pod)(struct print *print, const struct pod_report *pod);
	void (*left_out)(struct print *print, unsigned count); /* pods, between two that are printed */
	void (*end)(struct print *print);
};

/* Indexed by enum print_format. */
extern const struct printer *const printers[PRINT_FORMATS];

extern const struct printer print_text;
extern const struct printer print_json;
extern const struct printer print_yaml;
extern const struct printer print_env;

/* The set's group as a table: role, index, pod, address. `all`: also of a large one. */
void print_graph(FILE *file, const struct set_report *set, bool all);

/* "2,990" */
const char *print_count(char out[16], unsigned count);

#endif
