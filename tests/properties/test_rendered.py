# SPDX-License-Identifier: Apache-2.0
"""`render` says what `review` says about each object, whatever form its manifest has; and what it adds is right.

What it adds is advice on the Service and on the other sets of a group, where they are in the input; a word of each is
looked for, and a second model of when each is due is here.
"""

import json
import subprocess

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import oracle
import strategies
from conftest import program_path
from driver import ask
from kubernetes_objects import INJECT, PREFIX, ordinals_of, pod_of, tf_config_of
from profiles import times

pytestmark = pytest.mark.usefixtures("program")


def dump(objects, style):
    """The objects as one text, each string in the quotes of the style, so that none is taken for anything else."""
    if style == "json":
        return json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})

    class Dumper(yaml.SafeDumper):
        """Also with anchors and aliases, where one value is there twice."""

    Dumper.add_representer(str, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style))
    return yaml.dump_all(objects, Dumper=Dumper, allow_unicode=True)


def render(objects, style='"', domain=""):
    """What is found out about each set, in the order of the sets; a set that does not concern the webhook is None."""
    command = [program_path(), "render", "-f", "-", "-o", "json", *(["--cluster-domain", domain] if domain else [])]
    done = subprocess.run(command, input=dump(objects, style).encode(), capture_output=True, timeout=60)
    found = [json.loads(line) for line in done.stdout.decode().split("\n") if line]
    assert done.returncode == (1 if any(each["denial"] for each in found) else 0), done.stderr.decode()
    by_name = {(each["namespace"], each["name"]): each for each in found}
    return [by_name.get((obj["metadata"]["namespace"], obj["metadata"]["name"])) for obj in objects
            if obj["kind"] == "StatefulSet"]


@times(1)
@given(strategies.odd_sets() | strategies.stateful_sets(), strategies.domains, st.sampled_from(['"', "'", "json"]))
def test_a_set_and_its_pods_are_told_what_review_tells_them(stateful_set, domain, style):
    (found,) = render([stateful_set], style, domain)
    namespace = stateful_set["metadata"]["namespace"]
    answer = ask(stateful_set, domain=domain, namespace=namespace)
    if found is None:
        assert answer.allowed and not answer.warnings and oracle.label_of(answer.object) != "true"
        return
    assert found["warnings"] == answer.warnings
    assert (found["denial"] or "") == answer.message
    if not answer.allowed or oracle.stamp_of(answer.object) is None:
        assert found["pods"] == []
        return
    assert [pod["name"] for pod in found["pods"]] == [
        f"{stateful_set['metadata']['name']}-{ordinal}" for ordinal in ordinals_of(stateful_set)]
    for ordinal, pod in zip(ordinals_of(stateful_set), found["pods"]):
        created = ask(pod_of(answer.object, ordinal), domain=domain, namespace=namespace)
        assert created.allowed
        labels = dict(created.object["metadata"]["labels"])
        del labels["controller-revision-hash"]
        assert pod["labels"] == labels
        assert (pod["role"], str(pod["index"])) == (created.audit["role"], created.audit["index"])
        values = {tf_config_of(created.object, container["name"])
                  for kind in ("initContainers", "containers") for container in created.object["spec"].get(kind) or []}
        assert pod["tfConfig"] in values


# ---- the Service ----

label_maps = st.dictionaries(st.sampled_from(["app", "tier", INJECT, PREFIX + "role"]),
                             st.sampled_from(["trainer", "true"]), max_size=3)


def due_of_service(labels, spec):
    due = set()
    if spec.get("clusterIP") != "None":
        due.add("cluster IP")
    if spec.get("publishNotReadyAddresses") is not True:
        due.add("publishNotReadyAddresses")
    selector = spec.get("selector") or {}
    if not selector:
        due.add("without a selector")
    elif not selector.items() <= {**labels, INJECT: "true"}.items():
        due.add("not selected")
    return due


@times(1)
@given(label_maps, st.fixed_dictionaries({}, optional={
    "clusterIP": st.sampled_from(["None", "None", "", "10.0.0.1"]),
    "publishNotReadyAddresses": st.sampled_from([True, True, False, None]),
    "selector": st.none() | label_maps}), st.sampled_from(["ml", "ml", "other"]))
def test_the_service_of_a_set_is_checked(labels, spec, namespace):
    stateful_set = {
        "apiVersion": "apps/v1", "kind": "StatefulSet",
        "metadata": {"name": "trainer", "namespace": "ml", "annotations": {INJECT: "true"}},
        "spec": {"serviceName": "hl", "replicas": 1, "podManagementPolicy": "Parallel",
                 "template": {"metadata": {"labels": labels}, "spec": {"enableServiceLinks": False, "containers": []}}}}
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "hl", "namespace": namespace}, "spec": spec}
    other = {**service, "metadata": {"name": "another", "namespace": "ml"}, "spec": {}}
    (found,) = render([service, other, stateful_set])
    due = due_of_service(labels, spec) if namespace == "ml" else set()
    assert len(found["warnings"]) == len(due)
    for word in due:
        assert [warning for warning in found["warnings"] if word in warning and warning.endswith("Service hl")], word


# ---- the other sets of a group ----


def annotation(name, value):
    def change(obj):
        for owner in obj, obj["spec"]["template"]:
            annotations = (owner.get("metadata") or {}).get("annotations") or {}
            annotations.pop(PREFIX + name, None)
        if value is not None:
            obj["metadata"]["annotations"] = {**(obj["metadata"].get("annotations") or {}), PREFIX + name: value}
    return change


def one_more(obj):
    obj["spec"]["replicas"] += 1


def another_service(obj):
    obj["spec"]["serviceName"] = "another"


def another_line(obj):
    line = (oracle._annotations(obj))["cluster"]
    annotation("cluster", line + f",worker={obj['metadata']['name']}.{obj['spec']['serviceName']}:1")(obj)


CHANGES = {
    "nothing": (lambda obj: None, None),
    "replicas": (one_more, "the group counts"),
    "service": (another_service, "the group names Service"),
    "line": (another_line, "same line"),
    "no line": (annotation("cluster", None), "same line"),
    "off": (annotation("inject", "false"), 'needs tfconfig.dev/inject: "true"'),
    "port": (annotation("port", "2299"), "tfconfig.dev/port must be the same"),
    "rpc-layer": (annotation("rpc-layer", "grpc"), "tfconfig.dev/rpc-layer must be the same"),
    "invalid": (annotation("address", "ip"), None),
}
OF_OTHERS = ("the group counts", "the group names Service", "same line", "another set of the group",
             "must be the same on")


@times(1)
@given(strategies.groups_of_sets(), st.sampled_from(sorted(CHANGES)), st.data())
def test_the_sets_of_a_group_are_compared(sets, name, data):
    changed = data.draw(st.sampled_from(range(len(sets))))
    change, due = CHANGES[name]
    settings = oracle._annotations(sets[changed])
    if settings.get("rpc-layer") and name == "rpc-layer":
        due = None
    change(sets[changed])
    for index, found in enumerate(render(sets)):
        if index == changed or found["denial"]:
            continue
        told = [warning for warning in found["warnings"] if any(word in warning for word in OF_OTHERS)]
        assert all(warning.endswith(f"StatefulSet {sets[changed]['metadata']['name']}") for warning in told)
        if name in ("service", "line", "no line"):  # what else is then told is as well
            assert any(due in warning for warning in told)
        else:
            assert [due in warning for warning in told] == ([True] if due else [])
