# SPDX-License-Identifier: Apache-2.0
"""A scaled set gets its new group by one restart, with both replicas of the webhook at work; or its events say why not.

Nothing is asserted on speed; how long it took is printed.
"""

import json
import time

import pytest
from e2e_harness import GROUP, SYSTEM, WEBHOOK, cure_in, numbers, service, stamps_of, stateful_set, wait_for

pytest_plugins = ["e2e_harness"]

SETTLE = 10  # seconds, the default of --scale-settle


def scale(namespace, replicas, name="trainer"):
    namespace.done("scale", "statefulset", name, f"--replicas={replicas}")


def knows(value, size):
    """Whether a pod's TF_CONFIG lists so many pods."""
    return value is not None and sum(len(addresses) for addresses in value["cluster"].values()) == size


def in_one_group(namespace, size, name="trainer", patience=180):
    """Waits until a set has so many pods, and each knows them all; then until it is rolled out."""
    def agreed():
        given = namespace.given(name)
        return len(given) == size and all(knows(value, size) for value in given)

    namespace.wait_for(agreed, f"{size} pods of {name} know each other", patience)
    return namespace.rolled_out(name)


def resized(namespace, name="trainer"):
    """What the webhook said of its restarts: message and count."""
    return [(event["message"], event.get("count")) for event in namespace.told(name, "GroupResized")]


def a_settle_time_later(namespace):
    """Waits until the webhook has seen to all that was changed before: a set that is scaled now comes last."""
    name = f"sentinel-{next(numbers)}"
    namespace.applied(service(name), stateful_set(name, replicas=1))
    namespace.seen(name)
    scale(namespace, 2, name)
    namespace.wait_for(lambda: resized(namespace, name), f"{name} is restarted", 180)
    namespace.done("delete", "statefulset", name)


def version(namespace, name):
    return namespace.get("statefulset", name)["metadata"]["resourceVersion"]


def new_revisions(namespace, before, name="trainer"):
    return len(set(namespace.revisions(name)) - set(before))


def stale(namespace, fragment, name="trainer"):
    """Waits for what the webhook says where it does not restart a set; the message."""
    return namespace.denial(name, fragment, "GroupStale")


@pytest.fixture
def trainer(namespace):
    """The namespace, with the set `trainer` of two pods in it; they run."""
    namespace.applied(service(), stateful_set())
    namespace.rolled_out("trainer")
    return namespace


# What restarts


@pytest.mark.parametrize("size", [4, 1], ids=["up", "down"])
def test_a_scale_is_one_rollout_after_which_all_pods_agree(trainer, size):
    revisions = trainer.revisions("trainer")
    began = time.monotonic()
    scale(trainer, size)
    in_one_group(trainer, size)
    print(f"from 2 pods to {size}: {time.monotonic() - began:.1f} s from kubectl scale until all run in the new group")
    a_settle_time_later(trainer)
    assert new_revisions(trainer, revisions) == 1
    assert resized(trainer) == [(f"the group has {size} pods now, before 2: the pods are restarted with it", 1)]
    described = trainer.done("describe", "statefulset", "trainer")
    assert " Normal   GroupResized " in described or " Normal  GroupResized " in described
    assert [value["task"]["index"] for value in trainer.given("trainer")] == list(range(size))


def test_a_burst_of_scales_is_one_rollout(trainer):
    revisions = trainer.revisions("trainer")
    began = time.monotonic()
    last = began
    for size in (3, 4, 5, 6, 3):
        scale(trainer, size)
        time.sleep(1.5)  # this is the burst: slow enough to be seen as five
        assert time.monotonic() - last < SETTLE, "this machine is too slow for the test"
        last = time.monotonic()
    in_one_group(trainer, 3)
    print(f"five scales: {time.monotonic() - began:.1f} s from the first until all run in the new group")
    a_settle_time_later(trainer)
    assert new_revisions(trainer, revisions) == 1
    assert resized(trainer) == [("the group has 3 pods now, before 2: the pods are restarted with it", 1)]


def test_there_and_back_within_the_time_is_none(trainer):
    revisions = trainer.revisions("trainer")
    uids = [pod["metadata"]["uid"] for pod in trainer.pods("trainer")]
    scale(trainer, 3)
    scale(trainer, 2)
    a_settle_time_later(trainer)
    assert new_revisions(trainer, revisions) == 0
    assert [pod["metadata"]["uid"] for pod in trainer.pods("trainer")] == uids
    assert resized(trainer) == []


def test_the_rest_of_the_replicas_follows(namespace):
    namespace.applied(service(), stateful_set(annotations={"cluster": "chief:1,worker:*"}))
    namespace.rolled_out("trainer")
    revisions = namespace.revisions("trainer")
    scale(namespace, 4)
    in_one_group(namespace, 4)
    assert [(value["task"]["type"], value["task"]["index"]) for value in namespace.given("trainer")] == [
        ("chief", 0), ("worker", 0), ("worker", 1), ("worker", 2)]
    assert new_revisions(namespace, revisions) == 1


def test_through_zero(trainer):
    """Without pods there is no group, and nothing to restart; from there on it is a scale like any other."""
    before = stamps_of(trainer.get("statefulset", "trainer"))
    revisions = trainer.revisions("trainer")
    scale(trainer, 0)
    trainer.rolled_out("trainer")
    a_settle_time_later(trainer)
    assert stamps_of(trainer.get("statefulset", "trainer")) == before
    assert (resized(trainer), new_revisions(trainer, revisions)) == ([], 0)
    scale(trainer, 3)
    in_one_group(trainer, 3)
    assert new_revisions(trainer, revisions) == 1


def test_an_autoscaler_scales_as_anybody_does(trainer):
    """It brings a set between its bounds also where it can measure nothing."""
    revisions = trainer.revisions("trainer")
    trainer.applied({"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "trainer"},
                     "spec": {"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "trainer"},
                              "minReplicas": 3, "maxReplicas": 3}})
    in_one_group(trainer, 3)
    assert new_revisions(trainer, revisions) == 1


def test_a_set_of_on_delete_gets_its_group_and_its_pods_are_left_to_their_owner(namespace):
    namespace.applied(service(), stateful_set(updateStrategy={"type": "OnDelete"}))
    namespace.seen("trainer")
    namespace.wait_for(lambda: len(namespace.pods("trainer")) == 2, "two pods are there")
    uids = [pod["metadata"]["uid"] for pod in namespace.pods("trainer")]
    scale(namespace, 3)
    namespace.wait_for(lambda: resized(namespace), "the set has its group", 180)
    assert resized(namespace) == [
        ("the group has 3 pods now, before 2: its updateStrategy decides when each pod gets it", 1)]
    namespace.wait_for(lambda: len(namespace.pods("trainer")) == 3, "the third pod is there")
    assert [knows(value, size) for value, size in zip(namespace.given("trainer"), (2, 2, 3))] == [True] * 3
    assert [pod["metadata"]["uid"] for pod in namespace.pods("trainer")][:2] == uids
    namespace.done("delete", "pods", "trainer-0", "trainer-1")
    namespace.wait_for(lambda: [knows(value, 3) for value in namespace.given("trainer")] == [True] * 3,
                       "all know each other")


# What does not


def test_on_scale_deny_restarts_nothing_and_the_command_in_the_event_does(namespace):
    namespace.applied(service(), stateful_set(annotations={"on-scale": "deny"}))
    namespace.rolled_out("trainer")
    revisions = namespace.revisions("trainer")
    scale(namespace, 3)
    message = stale(namespace, "tfconfig.dev/on-scale is deny")
    assert message == ("the group was made for 2 pods and has 3 now, and tfconfig.dev/on-scale is deny: run kubectl -n "
                       f"{namespace.name} rollout restart statefulset/trainer")
    namespace.denial("trainer", "before it was scaled")
    a_settle_time_later(namespace)
    assert new_revisions(namespace, revisions) == 0
    assert [knows(value, 2) for value in namespace.given("trainer")] == [True, True]
    assert [event["count"] for event in namespace.told("trainer", "GroupStale")] == [1]
    assert message in namespace.done("describe", "statefulset", "trainer")
    namespace.shell(cure_in(message))
    in_one_group(namespace, 3)
    assert new_revisions(namespace, revisions) == 1
    assert resized(namespace) == []


@pytest.mark.api
def test_counts_that_are_written_out_are_edited_as_the_event_says(namespace):
    namespace.applied(service(), stateful_set(annotations={"cluster": "chief:1,worker:1"}))
    namespace.seen("trainer")
    revisions = namespace.revisions("trainer")
    scale(namespace, 4)
    message = stale(namespace, "the counts of StatefulSet trainer add up to 2, and its spec.replicas is 4")
    assert "tfconfig.dev/cluster" in message and "make them equal" in message and "rollout restart" not in message
    assert new_revisions(namespace, revisions) == 0
    # Nothing but what it says: the counts.
    namespace.done("annotate", "statefulset", "trainer", "--overwrite", "tfconfig.dev/cluster=chief:1,worker:3")
    group = json.loads(stamps_of(namespace.get("statefulset", "trainer"))[1])["group"]
    assert group == "chief=trainer.trainer:1,worker=trainer.trainer:3"
    a_settle_time_later(namespace)
    assert new_revisions(namespace, revisions) == 1
    assert resized(namespace) == []


@pytest.mark.api
def test_a_set_of_several_is_told_what_to_edit_and_the_others_are_left_alone(namespace):
    line = {"cluster": "chief=m-chief:1,worker=m-worker:1"}
    namespace.applied(service("m"), *(stateful_set(name, line, replicas=1, service="m")
                                      for name in ("m-chief", "m-worker")))
    namespace.seen("m-worker")
    revisions = {name: namespace.revisions(name) for name in ("m-chief", "m-worker")}
    scale(namespace, 2, "m-worker")
    message = stale(namespace, "the counts of StatefulSet m-worker add up to 1, and its spec.replicas is 2", "m-worker")
    assert "rollout restart" not in message
    a_settle_time_later(namespace)
    for name, before in revisions.items():
        assert new_revisions(namespace, before, name) == 0
    assert namespace.events("m-chief", "GroupStale") == []


def refusal_of_restarts(namespace):
    """What a policy of the cluster may say: no rollout of this namespace's sets."""
    policy = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy",
              "metadata": {"name": namespace.name},
              "spec": {"failurePolicy": "Fail",
                       "matchConstraints": {"resourceRules": [{
                           "apiGroups": ["apps"], "apiVersions": ["v1"], "operations": ["UPDATE"],
                           "resources": ["statefulsets"]}]},
                       "validations": [{"expression": "object.spec.template == oldObject.spec.template",
                                        "message": "no rollouts before Monday"}]}}
    binding = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicyBinding",
               "metadata": {"name": namespace.name},
               "spec": {"policyName": namespace.name, "validationActions": ["Deny"],
                        "matchResources": {"namespaceSelector": {"matchLabels": {
                            "kubernetes.io/metadata.name": namespace.name}}}}}
    return policy, binding


@pytest.mark.api
def test_where_somebody_forbids_the_restart_the_event_says_so_in_their_words(namespace):
    namespace.applied(service(), stateful_set())
    namespace.seen("trainer")
    namespace.applied(*refusal_of_restarts(namespace))
    try:
        change = ["set", "env", "statefulset/trainer", "A=1", "--dry-run=server"]
        namespace.wait_for(lambda: namespace.kubectl(*change).returncode != 0, "the policy acts")
        revisions = namespace.revisions("trainer")
        scale(namespace, 3)
        message = stale(namespace, "the group was made for 2 pods and has 3 now, and the set can't be restarted: ")
        assert "no rollouts before Monday" in message
        assert new_revisions(namespace, revisions) == 0
    finally:
        for kind in ("validatingadmissionpolicybinding", "validatingadmissionpolicy"):
            namespace.done("delete", kind, namespace.name)


def test_sets_that_are_none_of_its_concern_are_never_touched(namespace):
    """Not opted in, opted out, without pods, and in a group that is as it should be."""
    sets = {"theirs": stateful_set("theirs", {"inject": None}), "out": stateful_set("out", {"inject": "false"}),
            "empty": stateful_set("empty", replicas=0), "current": stateful_set("current")}
    namespace.applied(service(), *(service(name) for name in sets), *sets.values())
    for name in sets:
        namespace.rolled_out(name)
    for name in ("theirs", "out"):
        scale(namespace, 3, name)
        namespace.rolled_out(name)
    before = {name: version(namespace, name) for name in sets}
    a_settle_time_later(namespace)
    assert {name: version(namespace, name) for name in sets} == before
    for name in sets:
        assert resized(namespace, name) == [] and namespace.events(name, "GroupStale") == []


# Sets that were there before


@pytest.mark.alone
@pytest.mark.timeout(600, func_only=True)
def test_sets_of_before_the_install_are_restarted_once(namespace, webhook):
    stamped = json.loads(namespace.apply(stateful_set("stamped"), flags=["--dry-run=server", "-o", "json"]).stdout)
    label, group = stamps_of(stamped)
    # As a webhook with another --cluster-domain wrote it.
    elsewhere = group.replace("cluster.local", "example.org")
    assert elsewhere != group
    stamped = stateful_set("stamped", template_annotations={GROUP: elsewhere})
    stamped["spec"]["template"]["metadata"]["labels"]["tfconfig.dev/inject"] = label
    sets = {"trainer": stateful_set(), "asked": stateful_set("asked", {"on-scale": "deny"}),
            "theirs": stateful_set("theirs", {"inject": None}), "stamped": stamped}
    webhook.uninstall()
    try:
        namespace.applied(*(service(name) for name in sets), *sets.values())
        for name in sets:
            namespace.rolled_out(name)
        before = {name: (version(namespace, name), namespace.revisions(name)) for name in sets}
    finally:
        webhook.install()
    in_one_group(namespace, 2)
    message = stale(namespace, "the set has no group yet", "asked")
    a_settle_time_later(namespace)
    assert new_revisions(namespace, before["trainer"][1]) == 1
    assert resized(namespace) == [("the group has 2 pods now, before none: the pods are restarted with it", 1)]
    for name in ("asked", "theirs", "stamped"):
        assert (version(namespace, name), namespace.revisions(name)) == before[name], name
    assert namespace.given("asked") == [None, None]
    namespace.shell(cure_in(message))
    in_one_group(namespace, 2, "asked")


@pytest.mark.alone
@pytest.mark.timeout(600, func_only=True)
def test_a_set_made_while_the_webhook_was_switched_off_is_restarted_when_it_is_on(namespace, webhook):
    """As docs/operations.md says for an emergency: the replicas run on, and see that a restart would be in vain."""
    namespace.done("delete", "mutatingwebhookconfiguration", WEBHOOK)
    try:
        namespace.wait_for(lambda: not webhook.injects(), "nothing is stamped")
        namespace.applied(service(), stateful_set())
        namespace.rolled_out("trainer")
        revisions = namespace.revisions("trainer")
        stale(namespace, "so a restart would not pass it")
        assert new_revisions(namespace, revisions) == 0
    finally:
        webhook.install()
    in_one_group(namespace, 2)
    assert new_revisions(namespace, revisions) == 1


# Two replicas


def series(webhook, name):
    """A metric, of all replicas together."""
    text = "".join(webhook.cluster.kubectl("get", "--raw", f"/api/v1/namespaces/{SYSTEM}/pods/"
                                           f"{pod['metadata']['name']}:8080/proxy/metrics").stdout
                   for pod in webhook.pods())
    return sum(int(line.rpartition(" ")[2]) for line in text.splitlines() if line.startswith(f"{name} "))


@pytest.mark.alone
def test_ten_sets_scaled_at_once_are_restarted_once_each(namespace, webhook):
    """Both replicas see each of them; who comes second finds it done."""
    names = [f"trainer-{letter}" for letter in "abcdefghij"]
    namespace.applied(*(service(name) for name in names), *(stateful_set(name, replicas=1) for name in names))
    for name in names:
        namespace.rolled_out(name)
    revisions = {name: namespace.revisions(name) for name in names}
    counted = series(webhook, "tfconfig_webhook_groups_resized_total")
    began = time.monotonic()
    namespace.done("scale", "--replicas=2", *(f"statefulset/{name}" for name in names))
    for name in names:
        in_one_group(namespace, 2, name)
    print(f"ten sets at once: {time.monotonic() - began:.1f} s from kubectl scale until all run in their new groups")
    a_settle_time_later(namespace)
    for name in names:
        assert new_revisions(namespace, revisions[name], name) == 1
        assert [count for _, count in resized(namespace, name)] == [1]
    # The last is the sentinel.
    assert series(webhook, "tfconfig_webhook_groups_resized_total") == counted + len(names) + 1
    assert len(webhook.said("a StatefulSet is restarted with its new group")) == 2


@pytest.mark.alone
def test_one_replica_alone_does_it_too(trainer, webhook):
    """Whichever is left: the other is deleted while the set settles."""
    names = [pod["metadata"]["name"] for pod in webhook.pods()]
    revisions = trainer.revisions("trainer")
    scale(trainer, 3)
    webhook.system.done("delete", "pod", names[0], "--grace-period=1", "--wait=false")
    in_one_group(trainer, 3)
    assert new_revisions(trainer, revisions) == 1
    wait_for(webhook.settled, "two replicas are there")
