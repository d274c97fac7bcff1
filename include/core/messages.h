/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_MESSAGES_H
#define CORE_MESSAGES_H

/*
 * Everything that the webhook says to a user, in one place, to be read as prose.
 *
 * A denial has one shape:
 *
 *     <object>: <annotation or field> is <value found>: <what is allowed, or what to do>
 *
 * for example
 *
 *     StatefulSet ml/trainer: annotation tfconfig.dev/port is "70000": must be a number from 1 to 65535 or ...
 *
 * The texts here are the last part. They meet their reader in `kubectl apply` or among the events of `kubectl describe
 * statefulset`, so they make sense there, and hold nothing that changes from try to try: events that differ are not
 * counted together. A warning is one line of at most 120 characters, without the word "Warning:", which kubectl puts
 * there. docs/messages.md explains each denial and its cure; a test compares the two.
 */

#define MESSAGE_NO_MEMORY "out of memory"

/* Denials of a StatefulSet: its fields. */

#define DENY_SET_UNNAMED  "give the StatefulSet a name of its own: generateName is not enough"
#define DNS_LABEL_RULE    "must be a DNS label (lower-case letters, digits and '-', at most 63 characters)"
#define DENY_SET_NAME     DNS_LABEL_RULE ": the pods' DNS names begin with it"
#define DENY_SERVICE_NAME DNS_LABEL_RULE
#define DENY_NAMESPACE    DNS_LABEL_RULE
#define DENY_NO_SERVICE \
	"name the pods' headless Service there: without it the pods have no DNS names to find each other by"
#define DENY_NUMBER      "must be a whole number from 0 to %u"
#define DENY_ORDINALS    "with spec.replicas %u the highest ordinal would pass %u"
#define DENY_NO_TEMPLATE "a StatefulSet needs a pod template"
#define DENY_NO_METADATA "must be an object"
#define DENY_SELECTOR                                                                                        \
	"leave this label out of the selector: a selector can't be changed, so the set could never opt out " \
	"again"
#define DENY_LABEL_ALONE                                                                      \
	"the label alone injects nothing and each pod would train alone: set the annotation " \
	"tfconfig.dev/inject: \"true\" on the StatefulSet, or remove the label from its pod template"

/* Denials of a StatefulSet: its annotations. */

#define DENY_UNKNOWN_ANNOTATION "known are %s"
#define DENY_NOT_A_STRING       "must be a string"
#define DENY_TWO_VALUES         "it is %s on the pod template: write it in one place, or the same value in both"
#define DENY_BOOLEAN            "must be \"true\" or \"false\""
#define DENY_PORT               "must be a number from 1 to 65535, or the name of a TCP containerPort"
#define DENY_PORT_UNKNOWN       "no container of the pod template has a TCP containerPort of this name"
#define DENY_PORT_AMBIGUOUS \
	"containers of the pod template give this name to the ports %u and %u: write the number instead"
#define DENY_PORT_NAME_OF_SEVERAL                                                                          \
	"the group in tfconfig.dev/cluster spans several StatefulSets, where the name could mean another " \
	"number: write the number instead"
#define DENY_ADDRESS   "must be \"fqdn\" (<pod>.<service>.<namespace>.svc.<domain>) or \"short\" (<pod>.<service>)"
#define DENY_RPC_LAYER "must be \"grpc\", the only one that TensorFlow's servers speak; or remove the annotation"
#define DENY_ON_SCALE  "must be \"restart\" or \"deny\""
#define DENY_WAIT_ORDERED                                                                                   \
	"podManagementPolicy OrderedReady, the default, starts a pod once all before it are ready, so the " \
	"first would wait forever: set podManagementPolicy: Parallel, which is possible only when a "       \
	"StatefulSet is created"
#define DENY_WAIT_CONTAINER                                                                                  \
	"the pod template already has a container named %s, which the waiting init container needs: rename " \
	"yours"
#define DENY_WAIT_NO_IMAGE \
	"this webhook does not know an image for the waiting init container: its admin has to set --wait-image"
#define DENY_CONTAINERS        "must be a comma list of container names, at most %u"
#define DENY_CONTAINER_UNKNOWN "%s is not a container of the pod, which has %s"
#define DENY_SPARSE                                                                                         \
	"the sparse form is for ParameterServerStrategy, and the group has no ps: without one each worker " \
	"would train alone"

/* Denials of a StatefulSet: the group in tfconfig.dev/cluster. */

#define MESSAGE_GROUP_EMPTY_ENTRY                                                                 \
	"an entry is empty: must be a comma list of role[=statefulset[.service]]:count, such as " \
	"chief:1,worker:3"
#define MESSAGE_GROUP_NO_COUNT "entry %s has no count: must be role[=statefulset[.service]]:count, such as worker:3"
#define MESSAGE_GROUP_ROLE     "entry %s does not begin with a role: must be %s, %s, %s or %s"
#define MESSAGE_GROUP_SET                                                                                 \
	"entry %s: the names of the StatefulSet and the Service must be DNS labels (lower-case letters, " \
	"digits and '-', at most 63 characters)"
#define MESSAGE_GROUP_COUNT                                                                                  \
	"entry %s: the count must be a number from 1 to %u without leading zeros, or * for the rest of the " \
	"replicas"
#define MESSAGE_GROUP_TOO_MANY  "it has %zu entries: must be at most %d"
#define MESSAGE_GROUP_TWO_RESTS "only one entry may say *, the rest of the replicas"
#define MESSAGE_GROUP_UNNAMED                                                                                  \
	"an entry of role %s names no StatefulSet: where one entry names another StatefulSet, each must name " \
	"its own, so that the same line means the same on every set"
#define MESSAGE_GROUP_REST_OF_SEVERAL \
	"* is for a group of one StatefulSet: where the group spans several, write every count"
#define MESSAGE_GROUP_WITHOUT_OWN "no entry names StatefulSet %s itself, which carries the annotation"
#define MESSAGE_GROUP_START \
	"the group spans several StatefulSets, whose pods must count from 0: spec.ordinals.start is %u"
#define MESSAGE_GROUP_OWN_SERVICE  "it names Service %s for StatefulSet %s itself: must be its spec.serviceName, %s"
#define MESSAGE_GROUP_TWO_SERVICES "StatefulSet %s is named with two Services, %s and %s: must be one"
#define MESSAGE_GROUP_NO_REST                                                                                   \
	"the counts next to * of StatefulSet %s add up to %u, more than its spec.replicas, %u: lower them, or " \
	"raise it"
#define MESSAGE_GROUP_SUM                                                                    \
	"the counts of StatefulSet %s add up to %u, and its spec.replicas is %u: make them " \
	"equal"
#define MESSAGE_GROUP_CHIEFS          "it has %u chiefs: must be at most one"
#define MESSAGE_GROUP_EVALUATORS      "it has %u evaluators: must be at most one"
#define MESSAGE_GROUP_EVALUATOR_ALONE "an evaluator alone has nothing to evaluate: add a chief or workers"
#define MESSAGE_GROUP_PS_ALONE        "parameter servers without a worker train nothing: add a worker"

/* Denials of both: the value would be too large. %zu bytes of %d; the group that fits. */

#define DENY_TOO_LARGE                                                                                      \
	"TF_CONFIG would have %zu bytes, and Linux takes at most %d: the largest group of this shape that " \
	"fits has %u pods"
#define DENY_TOO_LARGE_FQDN DENY_TOO_LARGE "; tfconfig.dev/address: short makes room for more"

/* Denials of a pod. They appear among the events of its StatefulSet. */

#define CURE_RESTART "kubectl -n %s rollout restart statefulset/%s"

#define DENY_OWNER                                                                                           \
	"only pods of a StatefulSet get a TF_CONFIG, and this one would train alone: use a StatefulSet, or " \
	"remove the label tfconfig.dev/inject from the pod template"
#define DENY_NO_STAMP                                                               \
	"the group is written there when the StatefulSet is applied or restarted: " \
	"run " CURE_RESTART
#define DENY_STAMP_UNREADABLE "it can't be read (%s): run " CURE_RESTART
#define DENY_STAMP_VERSION                                                                                    \
	"this webhook reads version %d: run " CURE_RESTART " once every replica of the webhook has the same " \
	"version"
#define DENY_OWNER_NAME "must be a DNS label: a StatefulSet of this name has no DNS names for its pods"
#define DENY_POD_NAME   "must be the name of its StatefulSet, %s, then '-' and the ordinal"
#define DENY_POD_INDEX  "must be the ordinal in the pod's name, %u"
#define DENY_SUBDOMAIN \
	"must be the Service %s, in which the group of StatefulSet %s looks for its pods: run " CURE_RESTART
#define DENY_SET_NOT_IN_GROUP "it holds no pod of StatefulSet %s: run " CURE_RESTART
#define DENY_OUTSIDE_FOLLOWING \
	"the group was made for %u pods of StatefulSet %s, %s-%u to %s-%u, before it was scaled: run " CURE_RESTART
#define DENY_OUTSIDE_FIXED                                                                            \
	"the group has %u pods of StatefulSet %s, %s-%u to %s-%u: make the counts in its annotation " \
	"tfconfig.dev/cluster add up to its spec.replicas, and apply it"
#define DENY_OUTSIDE_TOO_LARGE                                                                                 \
	"the group was made for %u pods of StatefulSet %s, %s-%u to %s-%u, and with this one TF_CONFIG would " \
	"pass the %d bytes that Linux takes: scale the set down"
#define DENY_OUTSIDE_SEVERAL                                                                                    \
	"the group has %u pods of StatefulSet %s, %s-%u to %s-%u: make its counts in tfconfig.dev/cluster add " \
	"up to its spec.replicas, in the same line on every StatefulSet of the group, and apply them"

/* Warnings on a StatefulSet. */

#define WARN_NOT_INJECTED    "nothing is injected: the tfconfig.dev/ annotations need tfconfig.dev/inject: \"true\""
#define WARN_STAMPS_REMOVED  "tfconfig.dev/inject is not \"true\": new pods of this set get no TF_CONFIG"
#define WARN_LONG_NAME       "the name is longer than 52 characters: the StatefulSet controller can't create its pods"
#define WARN_LONG_POD_NAME   "pod names up to ordinal %u are longer than 63 characters, so they are not DNS labels"
#define WARN_KEEPS_TF_CONFIG "keeps its own TF_CONFIG; tfconfig.dev/overwrite: \"true\" replaces it: container %s"
#define WARN_ORDERED_READY                                                                                 \
	"podManagementPolicy OrderedReady starts pods one by one: a readiness probe that waits for peers " \
	"blocks it"
#define WARN_HOST_NETWORK "hostNetwork is true: two pods on one node fight for port %u"
#define WARN_DNS_POLICY   "dnsPolicy %s can't resolve the peers' names: use ClusterFirst%s"
#define WARN_PROXY        "gRPC obeys %s: add \"%s\" to %s, or training hangs: container %s"
#define WARN_ISTIO                                                                                        \
	"an Istio sidecar refuses peers that start later: set sidecar.istio.io/inject: \"false\" on the " \
	"pod"
#define WARN_SERVICE_LINKS \
	"enableServiceLinks is not false: each Service of the namespace adds variables to the environment"
#define WARN_ON_DELETE "updateStrategy OnDelete: old and new pods hold two groups until every old one is deleted"
#define WARN_PARTITION "updateStrategy has partition %u: pods below it keep the old group"
#define WARN_PS_WITHOUT_CHIEF \
	"the group has ps but no chief: with ParameterServerStrategy nothing trains, without an error"

/* Warnings on a StatefulSet, of its Service. */

#define WARN_SERVICE_MISSING    "the pods find each other by a headless Service, which is missing: Service %s"
#define WARN_SERVICE_CLUSTER_IP "a Service with a cluster IP gives pods no names: set clusterIP: None on Service %s"
#define WARN_SERVICE_UNREADY                                                                   \
	"no pod has a name before it is ready: set publishNotReadyAddresses: true on Service " \
	"%s"
#define WARN_SERVICE_WAITS       "tfconfig.dev/wait waits forever: set publishNotReadyAddresses: true on Service %s"
#define WARN_SERVICE_NO_SELECTOR "a Service without a selector gives pods no names: Service %s"
#define WARN_SERVICE_SELECTOR    "the pods are not selected by %s=%s, as their template lacks it: Service %s"

/* Warnings on a StatefulSet, of another set of its group. */

#define WARN_OTHER_NOT_INJECTED "another set of the group needs tfconfig.dev/inject: \"true\" too: StatefulSet %s"
#define WARN_OTHER_REPLICAS     "the group counts %u pods of a set whose spec.replicas is %u: StatefulSet %s"
#define WARN_OTHER_SERVICE      "the group names Service %s for a set whose spec.serviceName is %s: StatefulSet %s"
#define WARN_OTHER_GROUP        "tfconfig.dev/cluster must be the same line on each set of the group: StatefulSet %s"
#define WARN_OTHER_SETTING      "%s must be the same on each set of the group: StatefulSet %s"

/* Events on a StatefulSet; CURE_RESTART is above. */

#define EVENT_RESTARTED   "the pods are restarted with it"
#define EVENT_NOT_ROLLED  "its updateStrategy decides when each pod gets it"
#define EVENT_RESIZED     "the group has %u pods now, before %u: %s"
#define EVENT_FIRST_GROUP "the group has %u pods now, before none: %s"
#define EVENT_STALE \
	"the group was made for %u pods and has %u now, and tfconfig.dev/on-scale is deny: run " CURE_RESTART
#define EVENT_NO_GROUP      "the set has no group yet, and tfconfig.dev/on-scale is deny: run " CURE_RESTART
#define EVENT_NOT_RESTARTED "the group was made for %u pods and has %u now, and the set can't be restarted: %s"
#define EVENT_NOT_REVIEWED \
	"the webhook leaves this namespace out, so a restart would not pass it: no pod gets a TF_CONFIG"

/* Warnings on a pod. */

#define WARN_NO_OWNER "the pod has label tfconfig.dev/inject but no StatefulSet: it gets no TF_CONFIG"

/* The log of the init container that waits; the last %s of a progress tells what troubles DNS, or nothing. */

#define WAIT_PROGRESS       "%zu of %zu peers resolve, waiting for %s%s"
#define WAIT_DONE           "%zu of %zu peers resolve"
#define WAIT_TIMED_OUT      "after %u s %zu of %zu peers do not resolve%s: %s"
#define WAIT_STOPPED        "stopped, and %zu of %zu peers do not resolve%s: %s"
#define WAIT_NO_VALUE       "TF_CONFIG is not set: there is nothing to wait for"
#define WAIT_NO_ADDRESSES   "its cluster lists no address"
#define WAIT_BROKEN_ADDRESS "an entry of its cluster is not an address: must be host:port"

#endif
