/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VERSION_H
#define VERSION_H

/* The one place of the version: the Makefile, the image's tag and the check of the manifests read it here. */
#define TFCONFIG_WEBHOOK_VERSION "0.1.0"

#endif
