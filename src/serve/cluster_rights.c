/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/cluster_rights.h"

#include <stddef.h>

#define OFF        "advice and restarts after a scale are off: "
#define REFUSED    OFF "the webhook is not allowed to query the cluster; manifests/components/cluster-advice allows it"
#define NO_CLUSTER OFF "this is not a pod with a service account"
#define AGAIN      "advice and restarts after a scale are on again"

static void log_refusal(struct log *log, const char *text, const char *message)
{
	log_event(log, LOG_LEVEL_INFO, text, LOG_FIELDS(LOG_TEXT("message", message)));
}

void cluster_rights_note(struct cluster_rights *rights, enum rights_user user, struct log *log, const char *message)
{
	if (message && atomic_fetch_or(&rights->refused, user) == 0)
		log_refusal(log, REFUSED, message);
	if (!message && atomic_fetch_and(&rights->refused, ~(unsigned)user) == (unsigned)user)
		log_event(log, LOG_LEVEL_INFO, AGAIN, NULL);
}

void cluster_rights_note_absence(struct log *log, const char *message)
{
	log_refusal(log, NO_CLUSTER, message);
}
