# SPDX-License-Identifier: Apache-2.0
"""Pods that wait for their peers' names: in real containers, with their limits, against the cluster's own DNS."""

import json

from e2e_harness import container, service, stateful_set

pytest_plugins = ["e2e_harness"]

LINE = "worker=early.early:2,worker=late.late:1"
RESTRICTED = {"securityContext": {"runAsNonRoot": True, "runAsUser": 1000, "allowPrivilegeEscalation": False,
                                  "capabilities": {"drop": ["ALL"]}, "seccompProfile": {"type": "RuntimeDefault"}}}
AMOUNTS = {"cpu": "10m", "memory": "32Mi"}
GUARANTEED = {"resources": {"requests": AMOUNTS, "limits": AMOUNTS}}


def waiting_set(name, replicas, containers=None, **fields):
    return stateful_set(name, {"cluster": LINE, "wait": "true"}, replicas=replicas, containers=containers or [
        container(**RESTRICTED, **GUARANTEED)], **fields)


def wait_container_of(pod):
    return pod["status"]["initContainerStatuses"][-1]


def test_pods_wait_until_the_last_peer_has_a_name_and_no_container_restarts(namespace, cluster):
    """The most that is asked of a pod: a restricted namespace, the Guaranteed class, and a peer of another set."""
    cluster.kubectl("label", "namespace", namespace.name, "pod-security.kubernetes.io/enforce=restricted")
    namespace.applied(service("early"), service("late"))
    assert namespace.applied(waiting_set("early", 2)) == ""

    def log(pod):
        return namespace.kubectl("logs", pod, "-c", "tfconfig-wait").stdout.splitlines()

    for pod in ("early-0", "early-1"):
        namespace.wait_for(lambda p=pod: "2 of 3 peers resolve, waiting for late-0" in log(p), f"{pod} waits")
    for pod in namespace.pods("early"):
        assert [each["state"].keys() for each in pod["status"]["containerStatuses"]] == [{"waiting"}]
        assert pod["status"]["qosClass"] == "Guaranteed"

    namespace.applied(waiting_set("late", 1))
    values = [*namespace.values("early").values(), *namespace.values("late").values()]
    assert len({json.dumps(json.loads(value)["cluster"]) for value in values}) == 1
    for pod in (*namespace.pods("early"), *namespace.pods("late")):
        status = wait_container_of(pod)
        assert (status["name"], status["restartCount"]) == ("tfconfig-wait", 0)
        assert status["state"]["terminated"]["exitCode"] == 0
        assert [each["restartCount"] for each in pod["status"]["containerStatuses"]] == [0]
        assert log(pod["metadata"]["name"])[-1] == "3 of 3 peers resolve"


def test_a_pod_that_waits_is_gone_soon_after_it_is_deleted(namespace):
    """SIGTERM ends it: it is not killed at the end of its grace period."""
    namespace.applied(service("early"), service("late"))
    namespace.applied(waiting_set("early", 2, pod={"terminationGracePeriodSeconds": 3600}))

    def waiting():
        statuses = [pod["status"].get("initContainerStatuses") for pod in namespace.pods("early")]
        return len(statuses) == 2 and all(each and "running" in each[-1]["state"] for each in statuses)

    namespace.wait_for(waiting, "both pods wait")
    namespace.done("delete", "statefulset", "early", "--cascade=foreground", "--timeout=60s")
