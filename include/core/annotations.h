/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_ANNOTATIONS_H
#define CORE_ANNOTATIONS_H

#include <stdbool.h>
#include <stddef.h>

#include <cjson/cJSON.h>

#include "core/keys.h"
#include "core/verdict.h"

/*
 * What the user wrote: the annotations under tfconfig.dev/ of a StatefulSet and of its pod template. One table in
 * annotations.c knows every key, its values and its check.
 */

enum { ANNOTATIONS_CONTAINERS_MAX = 100, PORT_MAX = 65535, PORT_DEFAULT = 2222 };

enum inject {
	INJECT_UNSET, /* no annotation */
	INJECT_FALSE,
	INJECT_TRUE,
};

enum address_form {
	ADDRESS_FQDN,  /* <pod>.<service>.<namespace>.svc.<domain> */
	ADDRESS_SHORT, /* <pod>.<service> */
};

/* A list of container names, in the arena; `names` is NULL where the user gave none. */
struct container_list {
	const char **names;
	size_t len;
};

struct annotations {
	enum inject inject;
	bool others;           /* there are annotations other than inject */
	const char *cluster;   /* the group as written; NULL: none */
	const char *port_name; /* of a containerPort; NULL: `port` is the number */
	unsigned port;
	struct container_list containers;
	const char *containers_text; /* the list as written; NULL: none */
	enum address_form address;
	bool overwrite;
	bool sparse;
	bool grpc;         /* emit rpc_layer: grpc */
	bool scale_denied; /* on-scale: deny. A scale restarts nothing, and pods beyond the group are denied */
	bool wait;         /* an init container waits for the peers' names */
};

/* Reads and checks all annotations. Returns -1 where it denied. `object` is the StatefulSet. */
MUST_CHECK int annotations_read(const cJSON *object, struct verdict *verdict, struct annotations *ret_annotations);

/* "fqdn" and "short", for the stamp. */
const char *address_form_name(enum address_form address);
bool address_form_parse(const char *text, enum address_form *ret_address);

#endif
