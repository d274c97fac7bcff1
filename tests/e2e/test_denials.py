# SPDX-License-Identifier: Apache-2.0
"""What a user is told: by kubectl apply about a StatefulSet, by its events about a pod; and that the cure cures."""

import json

import pytest
from e2e_harness import bare_pod, container, cure_in, deployment, service, stateful_set, stamps_of

pytest_plugins = ["e2e_harness"]


MISTAKES = {
    "a port out of range": (
        stateful_set(annotations={"port": "70000"}),
        'annotation tfconfig.dev/port is "70000": must be a number from 1 to 65535, or the name of a TCP '
        "containerPort"),
    "a mistyped annotation": (
        stateful_set(annotations={"prot": "2222"}),
        "annotation tfconfig.dev/prot is unknown: known are"),
    "yesterday's role": (
        stateful_set(annotations={"cluster": "master:1,worker:1"}),
        'entry "master:1" does not begin with a role: must be chief, worker, ps or evaluator'),
    "counts that do not add up": (
        stateful_set(annotations={"cluster": "chief:1,worker:3"}),
        "the counts of StatefulSet trainer add up to 4, and its spec.replicas is 2: make them equal"),
    "no service": (
        stateful_set(serviceName=""),
        "name the pods' headless Service there: without it the pods have no DNS names to find each other by"),
    "no such container": (
        stateful_set(annotations={"containers": "tensorflw"}),
        "is not a container of the pod, which has tensorflow"),
    "the annotation's value": (
        stateful_set(annotations={"inject": "yes"}),
        'annotation tfconfig.dev/inject is "yes": must be "true" or "false"'),
}


@pytest.mark.api
@pytest.mark.parametrize("mistake", MISTAKES)
def test_apply_prints_the_sentence_and_exits_1(namespace, mistake):
    obj, sentence = MISTAKES[mistake]
    finished = namespace.apply(obj)
    assert finished.returncode == 1
    assert f"StatefulSet {namespace.name}/trainer: " in finished.stderr
    assert sentence in finished.stderr
    assert namespace.get("statefulset", "trainer") is None


@pytest.mark.api
def test_a_selector_with_our_label_is_denied(namespace):
    labels = {"app": "trainer", "tfconfig.dev/inject": "true"}
    obj = stateful_set(selector={"matchLabels": labels})
    obj["spec"]["template"]["metadata"]["labels"] = labels
    finished = namespace.apply(obj)
    assert finished.returncode == 1
    assert "leave this label out of the selector" in finished.stderr


@pytest.mark.api
def test_a_denied_update_leaves_the_set_as_it_was(namespace):
    namespace.applied(service(), stateful_set())
    before = namespace.seen("trainer")
    finished = namespace.apply(stateful_set(annotations={"port": "http"}))
    assert finished.returncode == 1
    assert "no container of the pod template has a TCP containerPort of this name" in finished.stderr
    after = namespace.get("statefulset", "trainer")
    assert (after["metadata"]["generation"], stamps_of(after)) == (before["metadata"]["generation"], stamps_of(before))


@pytest.mark.api
def test_apply_prints_the_warnings_one_a_line(namespace):
    careless = stateful_set(podManagementPolicy="OrderedReady", pod={"enableServiceLinks": True})
    assert namespace.applied(service(), careless).splitlines() == [
        "Warning: podManagementPolicy OrderedReady starts pods one by one: "
        "a readiness probe that waits for peers blocks it",
        "Warning: enableServiceLinks is not false: each Service of the namespace adds variables to the environment",
    ]


@pytest.mark.api
def test_a_set_without_mistakes_is_applied_without_a_word(namespace):
    assert namespace.applied(service(), stateful_set()) == ""


# Where the webhook does not restart the set by itself: test_scale.py.


def test_a_pod_beyond_the_group_is_denied_and_the_restart_in_the_event_cures_it(namespace):
    namespace.applied(service(), stateful_set(annotations={"on-scale": "deny"}, replicas=2))
    before = namespace.values("trainer")
    namespace.done("scale", "statefulset", "trainer", "--replicas=3")
    message = namespace.denial("trainer", "before it was scaled")
    assert "the group was made for 2 pods of StatefulSet trainer, trainer-0 to trainer-1" in message
    assert namespace.get("pod", "trainer-2") is None
    assert {pod: namespace.environment(pod)["TF_CONFIG"] for pod in before} == before
    command = cure_in(message)
    assert command in namespace.done("describe", "statefulset", "trainer")
    namespace.shell(command)
    assert namespace.sizes("trainer") == [3, 3, 3]


@pytest.mark.api
def test_the_restart_in_the_event_of_a_scaled_set_stamps_its_new_size(namespace):
    namespace.applied(service(), stateful_set(annotations={"on-scale": "deny"}, replicas=2))
    namespace.seen("trainer")
    namespace.done("scale", "statefulset", "trainer", "--replicas=3")
    message = namespace.denial("trainer", "before it was scaled")
    # Who wrote it has words of its own around ours: `create Pod …` in 1.34, `Create Pod …` in 1.37.
    assert message.lower().startswith("create pod trainer-2 in statefulset trainer failed error: ")
    namespace.shell(cure_in(message))
    label, group = stamps_of(namespace.get("statefulset", "trainer"))
    assert (label, json.loads(group)["group"]) == ("true", "worker=trainer.trainer:3")


def test_fixed_counts_are_edited_as_the_event_says(namespace):
    fixed = stateful_set(annotations={"cluster": "chief:1,worker:1"})
    namespace.applied(service(), fixed)
    namespace.rolled_out("trainer")
    namespace.done("scale", "statefulset", "trainer", "--replicas=4")
    message = namespace.denial("trainer", "the group has 2 pods of StatefulSet trainer")
    assert "make the counts in its annotation tfconfig.dev/cluster add up to its spec.replicas, and apply it" in message
    assert "rollout restart" not in message
    namespace.applied(stateful_set(annotations={"cluster": "chief:1,worker:3"}, replicas=4))
    assert namespace.sizes("trainer") == [3, 3, 3, 3]


def test_a_group_over_several_sets_is_edited_on_each_as_the_event_says(namespace):
    def line(workers):
        group = f"chief=m-chief:1,worker=m-worker:{workers}"
        return [stateful_set("m-chief", {"cluster": group}, replicas=1, service="m"),
                stateful_set("m-worker", {"cluster": group}, replicas=workers, service="m")]

    namespace.applied(service("m"), *line(1))
    namespace.rolled_out("m-worker")
    namespace.done("scale", "statefulset", "m-worker", "--replicas=2")
    message = namespace.denial("m-worker", "the group has 1 pods of StatefulSet m-worker")
    assert "in the same line on every StatefulSet of the group, and apply them" in message
    namespace.applied(*line(2))
    assert namespace.sizes("m-worker") == [2, 2]
    assert namespace.sizes("m-chief") == [2]


def test_a_scale_down_leaves_the_list_until_the_next_restart(namespace):
    namespace.applied(service(), stateful_set(annotations={"on-scale": "deny"}, replicas=2))
    namespace.rolled_out("trainer")
    namespace.done("scale", "statefulset", "trainer", "--replicas=1")
    assert namespace.sizes("trainer") == [2]
    namespace.done("rollout", "restart", "statefulset/trainer")
    assert namespace.sizes("trainer") == [1]


@pytest.mark.api
def test_pods_of_other_controllers_with_our_label_are_denied_naming_the_kind(namespace):
    ours = {"tfconfig.dev/inject": "true"}
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "once"},
           "spec": {"template": {"metadata": {"labels": ours},
                                 "spec": {"restartPolicy": "Never", "containers": [container()]}}}}
    namespace.applied(deployment(labels=ours), job)
    assert "Job" in namespace.denial("once", "only pods of a StatefulSet get a TF_CONFIG")
    (replica_set,) = namespace.list("replicasets")
    denied = namespace.denial(replica_set["metadata"]["name"], "only pods of a StatefulSet get a TF_CONFIG")
    assert "ReplicaSet" in denied


@pytest.mark.api
def test_a_bare_pod_with_our_label_is_made_with_a_warning(namespace):
    said = namespace.applied(bare_pod(labels={"tfconfig.dev/inject": "true"}))
    assert said.splitlines() == [
        "Warning: the pod has label tfconfig.dev/inject but no StatefulSet: it gets no TF_CONFIG"]
