# SPDX-License-Identifier: Apache-2.0
"""The life of a StatefulSet with a real API server and real controllers: when its pods roll, and above all when not."""

import copy
import json

import pytest
from e2e_harness import (DEBIAN, GROUP, INJECT, container, drop_namespace, new_namespace, service,
                         stamps_of, stateful_set)

pytest_plugins = ["e2e_harness"]

PARTIAL = ["--validate=false"]  # kubectl misses what a manifest of few fields leaves to other managers


@pytest.fixture
def trainer(namespace, request):
    """The namespace, with the set `trainer` of two pods in it; they run, where the test is about more than the API."""
    namespace.applied(service(), stateful_set())
    if request.node.get_closest_marker("api"):
        namespace.seen("trainer")
    else:
        namespace.rolled_out("trainer")
    return namespace


def restart_by_hand(namespace):
    """From here on the webhook leaves the restarts of `trainer` to the test."""
    namespace.done("annotate", "statefulset", "trainer", "tfconfig.dev/on-scale=deny")


def state(namespace, name="trainer"):
    """What changes when a set rolls, and only then."""
    found = namespace.get("statefulset", name)
    return {"generation": found["metadata"]["generation"], "stamps": stamps_of(found),
            "revisions": namespace.revisions(name)}


def with_env(value, **settings):
    return stateful_set(containers=[container(env=[{"name": "STEP", "value": value}])], **settings)


def step_of(namespace, name="trainer"):
    return [namespace.environment(pod["metadata"]["name"])["STEP"] for pod in namespace.pods(name)]


def one_rollout_ago(namespace, before, name="trainer"):
    """The pods rolled once: there is one revision more, and no second one came after."""
    namespace.rolled_out(name)
    return len(set(namespace.revisions(name)) - set(before["revisions"])) == 1


def test_apply_again_changes_nothing(trainer):
    before, found = state(trainer), trainer.get("statefulset", "trainer")
    trainer.applied(service(), stateful_set())
    assert state(trainer) == before
    assert trainer.get("statefulset", "trainer")["metadata"]["resourceVersion"] == found["metadata"]["resourceVersion"]


@pytest.mark.api
def test_diff_is_clean_after_each_apply(trainer):
    assert trainer.diff(stateful_set()) == ""
    bigger = stateful_set(annotations={"port": "3333"}, replicas=3)
    shown = trainer.diff(bigger)
    assert "+  replicas: 3" in shown and "tfconfig.dev/group" in shown
    trainer.applied(bigger)
    assert trainer.diff(bigger) == ""
    off = stateful_set(annotations={"inject": "false"}, replicas=3)
    trainer.applied(off)
    assert trainer.diff(off) == ""


@pytest.mark.api
def test_a_server_side_dry_run_shows_the_stamps_and_makes_nothing(namespace):
    finished = namespace.apply(stateful_set(), flags=["--dry-run=server", "-o", "json"])
    assert finished.returncode == 0, finished.stderr
    label, group = stamps_of(json.loads(finished.stdout))
    assert label == "true"
    assert json.loads(group)
    assert namespace.get("statefulset", "trainer") is None


def test_a_restart_keeps_the_stamp_and_the_values(trainer):
    before, values = state(trainer), trainer.values("trainer")
    trainer.done("rollout", "restart", "statefulset/trainer")
    assert one_rollout_ago(trainer, before)
    assert trainer.values("trainer") == values
    assert state(trainer)["stamps"] == before["stamps"]


def test_replicas_changed_by_apply_roll_once_and_then_all_pods_agree(trainer):
    before = state(trainer)
    trainer.applied(stateful_set(replicas=3))
    assert one_rollout_ago(trainer, before)
    assert trainer.sizes("trainer") == [3, 3, 3]
    assert trainer.events("trainer", "FailedCreate") == []


def test_scale_down_rolls_nothing_and_scale_up_again_is_inside_the_group(trainer):
    restart_by_hand(trainer)
    before = state(trainer)
    trainer.done("scale", "statefulset", "trainer", "--replicas=1")
    trainer.rolled_out("trainer")
    trainer.done("scale", "statefulset", "trainer", "--replicas=2")
    assert trainer.sizes("trainer") == [2, 2]
    after = state(trainer)
    assert (after["stamps"], after["revisions"]) == (before["stamps"], before["revisions"])


def test_scale_to_zero_and_back_keeps_the_stamp(trainer):
    before = state(trainer)
    trainer.applied(stateful_set(replicas=0))
    trainer.rolled_out("trainer")
    assert state(trainer)["stamps"] == before["stamps"]
    trainer.applied(stateful_set(replicas=2))
    assert trainer.sizes("trainer") == [2, 2]
    after = state(trainer)
    assert (after["stamps"], after["revisions"]) == (before["stamps"], before["revisions"])


def test_without_the_annotation_the_stamps_go_and_the_pods_roll_without_the_value(trainer):
    before = state(trainer)
    said = trainer.applied(stateful_set(annotations={"inject": None}))
    assert 'Warning: tfconfig.dev/inject is not "true": new pods of this set get no TF_CONFIG' in said
    assert state(trainer)["stamps"] == (None, None)
    assert one_rollout_ago(trainer, before)
    assert trainer.values("trainer") == {"trainer-0": None, "trainer-1": None}
    trainer.applied(stateful_set())
    assert trainer.sizes("trainer") == [2, 2]
    assert state(trainer)["stamps"] == before["stamps"]


def test_a_changed_variable_and_image_roll_once_each_and_the_stamp_stays(namespace, cluster):
    cluster.ctr("images", "tag", "--force", DEBIAN, "docker.io/library/debian:other")
    namespace.applied(service(), with_env("1"))
    values = namespace.values("trainer")
    before = state(namespace)
    namespace.applied(with_env("2"))
    assert one_rollout_ago(namespace, before)
    assert step_of(namespace) == ["2", "2"]
    between = state(namespace)
    namespace.done("set", "image", "statefulset/trainer", "tensorflow=docker.io/library/debian:other")
    assert one_rollout_ago(namespace, between)
    assert namespace.values("trainer") == values
    assert between["stamps"] == state(namespace)["stamps"] == before["stamps"]


def test_undo_brings_the_template_back_and_not_the_old_size(namespace):
    namespace.applied(service(), with_env("1"))
    namespace.rolled_out("trainer")
    namespace.applied(with_env("2", replicas=3))
    namespace.rolled_out("trainer")
    namespace.done("rollout", "undo", "statefulset/trainer")
    assert namespace.sizes("trainer") == [3, 3, 3]
    assert step_of(namespace) == ["1", "1", "1"]
    assert namespace.events("trainer", "FailedCreate") == []


def test_undo_past_the_opt_in_keeps_the_set_opted_in(namespace):
    namespace.applied(service(), with_env("1", annotations={"inject": None}))
    namespace.rolled_out("trainer")
    namespace.applied(with_env("2"))
    namespace.rolled_out("trainer")
    stamps = state(namespace)["stamps"]
    namespace.done("rollout", "undo", "statefulset/trainer")
    assert namespace.sizes("trainer") == [2, 2]
    assert step_of(namespace) == ["1", "1"]
    assert state(namespace)["stamps"] == stamps


def test_undo_past_the_opt_out_does_not_opt_in_again(trainer):
    trainer.applied(stateful_set(annotations={"inject": None}))
    trainer.rolled_out("trainer")
    before = state(trainer)
    # The old template differs in our stamps alone, which go again: nothing is left to roll.
    undone = trainer.done("rollout", "undo", "statefulset/trainer")
    assert "rolled back" in undone
    after = state(trainer)
    assert after["stamps"] == (None, None)
    assert after["generation"] == before["generation"]
    assert trainer.values("trainer") == {"trainer-0": None, "trainer-1": None}


@pytest.mark.api
def test_a_stamp_edited_by_hand_is_written_anew(trainer):
    before = state(trainer)
    for value in ('{"v":1}', "nonsense", None):
        patch = {"spec": {"template": {"metadata": {"annotations": {GROUP: value}}}}}
        trainer.done("patch", "statefulset", "trainer", "--type=merge", "-p", json.dumps(patch))
        assert state(trainer) == before
    patch = {"spec": {"template": {"metadata": {"labels": {INJECT: None}}}}}
    trainer.done("patch", "statefulset", "trainer", "--type=merge", "-p", json.dumps(patch))
    assert state(trainer) == before


@pytest.mark.api
def test_replace_without_our_stamps_changes_nothing(trainer):
    before = state(trainer)
    trainer.applied(stateful_set(), verb="replace")
    assert state(trainer) == before


@pytest.mark.api
def test_a_manifest_that_once_held_the_stamps_and_holds_them_no_more_changes_nothing(trainer):
    before = state(trainer)
    exported = stateful_set()
    label, group = before["stamps"]
    exported["spec"]["template"]["metadata"]["labels"][INJECT] = label
    exported["spec"]["template"]["metadata"]["annotations"] = {GROUP: group}
    for obj in (exported, stateful_set()):
        trainer.applied(obj)
        assert state(trainer) == before
        assert trainer.diff(obj) == ""


def test_a_manifest_exported_from_the_cluster_makes_the_same_set_elsewhere(trainer):
    exported = trainer.get("statefulset", "trainer")
    exported["metadata"] = {"name": "copy", "annotations": {INJECT: "true"}}
    del exported["status"]
    trainer.applied(service("copy", {"app": "trainer"}), {**exported, "spec": {
        **exported["spec"], "serviceName": "copy", "replicas": 1, "selector": {"matchLabels": {"app": "copy"}},
        "template": {**exported["spec"]["template"], "metadata": {
            **exported["spec"]["template"]["metadata"],
            "labels": {"app": "copy", INJECT: "true"}}}}})
    (value,) = trainer.values("copy").values()
    assert json.loads(value)["cluster"] == {"worker": trainer.addresses("copy", [0])}


@pytest.mark.api
def test_two_managers_apply_on_the_server_side_and_nothing_rolls(namespace):
    def applied_by(manager, obj, *flags):
        return namespace.applied(obj, flags=["--server-side", f"--field-manager={manager}", *flags])

    namespace.applied(service())
    applied_by("alice", stateful_set())
    namespace.seen("trainer")
    before = state(namespace)
    # Bob took the object from the cluster, stamps and all: he owns them now, and then leaves them out.
    stamped = copy.deepcopy(stateful_set())
    label, group = before["stamps"]
    stamped["spec"]["template"]["metadata"]["labels"][INJECT] = label
    stamped["spec"]["template"]["metadata"]["annotations"] = {GROUP: group}
    applied_by("bob", stamped)
    assert state(namespace) == before
    applied_by("bob", stateful_set())
    assert state(namespace) == before
    applied_by("alice", stateful_set())
    assert state(namespace) == before
    # A manager of one field, in a manifest that knows nothing of us.
    applied_by("carol", {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "trainer"},
                         "spec": {"minReadySeconds": 1}}, *PARTIAL)
    after = state(namespace)
    assert (after["stamps"], after["revisions"]) == (before["stamps"], before["revisions"])


def test_two_managers_who_disagree_on_the_size_are_told_and_forced_it_rolls_once(namespace):
    namespace.applied(service())
    namespace.applied(stateful_set(), flags=["--server-side", "--field-manager=alice"])
    namespace.rolled_out("trainer")
    before = state(namespace)
    theirs = {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "trainer"}, "spec": {"replicas": 3}}
    finished = namespace.apply(theirs, flags=["--server-side", "--field-manager=bob", *PARTIAL])
    assert finished.returncode == 1 and "conflict" in finished.stderr
    namespace.applied(theirs, flags=["--server-side", "--field-manager=bob", "--force-conflicts", *PARTIAL])
    assert one_rollout_ago(namespace, before)
    assert namespace.sizes("trainer") == [3, 3, 3]


@pytest.mark.api
def test_edits_that_are_no_concern_of_ours_roll_nothing_after_a_scale(trainer):
    restart_by_hand(trainer)
    before = state(trainer)
    trainer.done("scale", "statefulset", "trainer", "--replicas=3")
    trainer.denial("trainer", "before it was scaled")
    trainer.done("label", "statefulset", "trainer", "team=blue")
    trainer.done("annotate", "statefulset", "trainer", "example.com/note=hello")
    for finalizers in (["example.com/wait"], None):
        trainer.done("patch", "statefulset", "trainer", "--type=merge",
                     "-p", json.dumps({"metadata": {"finalizers": finalizers}}))
    after = state(trainer)
    assert (after["stamps"], after["revisions"]) == (before["stamps"], before["revisions"])
    assert [pod["metadata"]["name"] for pod in trainer.pods("trainer")] == ["trainer-0", "trainer-1"]


@pytest.mark.alone
def test_another_cluster_domain_and_a_restarted_webhook_roll_nothing(trainer, webhook):
    before, values = state(trainer), trainer.values("trainer")
    uids = [pod["metadata"]["uid"] for pod in trainer.pods("trainer")]
    try:
        webhook.change_arguments("--cluster-domain=example.org")
        trainer.applied(service("fresh"), stateful_set("fresh", replicas=1))
        (value,) = trainer.values("fresh").values()
        assert json.loads(value)["cluster"] == {
            "worker": [f"fresh-0.fresh.{trainer.name}.svc.example.org:2222"]}, "the flag is in force"
        trainer.applied(stateful_set())
        trainer.done("annotate", "statefulset", "trainer", "example.com/note=hello")
        trainer.applied(stateful_set())
        assert trainer.diff(stateful_set()) == ""
        assert state(trainer) == before
        assert [pod["metadata"]["uid"] for pod in trainer.pods("trainer")] == uids
        # A pod that is made anew agrees with those of before.
        trainer.done("delete", "pod", "trainer-1")
        assert trainer.values("trainer") == values
    finally:
        webhook.restore()
    assert state(trainer) == before


@pytest.mark.alone
@pytest.mark.api
@pytest.mark.parametrize("order", ["background", "foreground", "orphan"])
def test_a_set_can_be_deleted_while_the_webhook_is_down(order, namespaces_of_an_outage):
    namespace, deleted = namespaces_of_an_outage[order]
    assert deleted.returncode == 0, deleted.stderr
    namespace.wait_for(lambda: namespace.get("statefulset", "trainer") is None, "the set is gone")
    if order == "orphan":
        (pod,) = namespace.pods("trainer")
        assert "ownerReferences" not in pod["metadata"]
    else:
        namespace.wait_for(lambda: not namespace.list("pods"), "its pods are gone")


@pytest.fixture(scope="module")
def namespaces_of_an_outage(cluster, webhook):
    """One outage for all: order of deletion -> (namespace, the finished `kubectl delete`)."""
    namespaces = {order: new_namespace(cluster, f"delete-{order}") for order in ("background", "foreground", "orphan")}
    for namespace in namespaces.values():
        namespace.applied(service(), stateful_set(replicas=1))
    for namespace in namespaces.values():
        namespace.seen("trainer")
    with webhook.down():
        deleted = {order: namespace.kubectl("delete", "statefulset", "trainer", f"--cascade={order}", "--timeout=60s")
                   for order, namespace in namespaces.items()}
    yield {order: (namespace, deleted[order]) for order, namespace in namespaces.items()}
    for namespace in namespaces.values():
        drop_namespace(namespace)
