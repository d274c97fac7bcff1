# SPDX-License-Identifier: Apache-2.0
"""TensorFlow itself reads what we emit.

Each value comes out of the program, from a StatefulSet through its stamp to a pod, and goes into the environment of
TensorFlow's own TFConfigClusterResolver, which has to see the task, the cluster and the protocol that were meant.
Runs in an environment of its own (requirements.txt beside this file): TensorFlow is large and slow to start.
"""

import json
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # before TensorFlow is loaded, or it is too late

import pytest  # noqa: E402

from conftest import run_review  # noqa: E402
from kubernetes_objects import PREFIX, ordinals_of, patched, pod_of, review_of, tf_config_of  # noqa: E402

tf = pytest.importorskip("tensorflow", reason="needs the environment of tests/tensorflow/requirements.txt")

pytestmark = pytest.mark.usefixtures("program")

DOMAIN = "cluster.local"


def stateful_set(name="trainer", service="hl", replicas=3, start=0, **annotations):
    return {
        "apiVersion": "apps/v1", "kind": "StatefulSet",
        "metadata": {"name": name, "namespace": "ml", "annotations": {
            PREFIX + "inject": "true",
            **{PREFIX + key.replace("_", "-"): value for key, value in annotations.items()}}},
        "spec": {
            "serviceName": service, "replicas": replicas, "podManagementPolicy": "Parallel",
            **({"ordinals": {"start": start}} if start else {}),
            "selector": {"matchLabels": {"app": name}},
            "template": {"metadata": {"labels": {"app": name}}, "spec": {"containers": [{"name": "tensorflow"}]}},
        },
    }


def values_of(obj, domain=DOMAIN, ordinals=None):
    """{pod name: TF_CONFIG} for the pods of a StatefulSet, through both stages."""
    code, answer, errors = run_review(review_of(obj), *(["--cluster-domain", domain] if domain else []))
    assert code == 0, (answer, errors)
    stored = patched(obj, answer)
    values = {}
    for ordinal in ordinals if ordinals is not None else ordinals_of(stored):
        pod = pod_of(stored, ordinal)
        code, answer, errors = run_review(review_of(pod))
        assert code == 0, (answer, errors)
        values[pod["metadata"]["name"]] = tf_config_of(patched(pod, answer))
    return values


def addresses(name, ordinals, service="hl", port=2222, end=f".ml.svc.{DOMAIN}"):
    return [f"{name}-{ordinal}.{service}{end}:{port}" for ordinal in ordinals]


@pytest.fixture
def resolve(monkeypatch):
    """A function from a value to the resolver that reads it."""
    def resolve(value):
        monkeypatch.setenv("TF_CONFIG", value)
        return tf.distribute.cluster_resolver.TFConfigClusterResolver()
    return resolve


def check(resolver, role, index, cluster, rpc_layer=None):
    assert resolver.task_type == role
    assert resolver.task_id == index and type(resolver.task_id) is int
    assert resolver.cluster_spec().as_dict() == cluster
    assert resolver.rpc_layer == rpc_layer
    # The pod's own address, as a server would look it up to bind its port.
    assert resolver.cluster_spec().task_address(role, index)


def test_plain_workers(resolve):
    cluster = {"worker": addresses("trainer", [0, 1, 2])}
    for index, value in enumerate(values_of(stateful_set()).values()):
        resolver = resolve(value)
        check(resolver, "worker", index, cluster)
        assert resolver.master() == "" or resolver.master().endswith(cluster["worker"][index])
        assert resolver.cluster_spec().num_tasks("worker") == 3


def test_one_worker(resolve):
    check(resolve(values_of(stateful_set(replicas=1))["trainer-0"]), "worker", 0,
          {"worker": addresses("trainer", [0])})


def test_ten_and_two_are_in_numeric_order(resolve):
    values = values_of(stateful_set(replicas=12), ordinals=[2, 10])
    for ordinal in (2, 10):
        resolver = resolve(values[f"trainer-{ordinal}"])
        check(resolver, "worker", ordinal, {"worker": addresses("trainer", range(12))})
        assert resolver.cluster_spec().task_address("worker", ordinal) == addresses("trainer", [ordinal])[0]


def test_a_chief_and_workers(resolve):
    values = values_of(stateful_set(replicas=4, cluster="chief:1,worker:*"))
    cluster = {"chief": addresses("trainer", [0]), "worker": addresses("trainer", [1, 2, 3])}
    check(resolve(values["trainer-0"]), "chief", 0, cluster)
    check(resolve(values["trainer-1"]), "worker", 0, cluster)
    check(resolve(values["trainer-3"]), "worker", 2, cluster)


def test_a_group_with_parameter_servers(resolve):
    values = values_of(stateful_set(replicas=5, cluster="chief:1,worker:2,ps:2"))
    cluster = {"chief": addresses("trainer", [0]), "worker": addresses("trainer", [1, 2]),
               "ps": addresses("trainer", [3, 4])}
    tasks = [("chief", 0), ("worker", 0), ("worker", 1), ("ps", 0), ("ps", 1)]
    for ordinal, (role, index) in enumerate(tasks):
        check(resolve(values[f"trainer-{ordinal}"]), role, index, cluster)


def test_the_evaluator_sees_itself_and_the_others_do_not(resolve):
    values = values_of(stateful_set(replicas=4, cluster="chief:1,worker:2,evaluator:1"))
    cluster = {"chief": addresses("trainer", [0]), "worker": addresses("trainer", [1, 2])}
    check(resolve(values["trainer-0"]), "chief", 0, cluster)
    check(resolve(values["trainer-2"]), "worker", 1, cluster)
    check(resolve(values["trainer-3"]), "evaluator", 0, {**cluster, "evaluator": addresses("trainer", [3])})


def test_a_sparse_worker_sees_itself_alone_among_the_workers(resolve):
    values = values_of(stateful_set(replicas=5, cluster="chief:1,worker:3,ps:1", sparse="true"))
    chief, ps = addresses("trainer", [0]), addresses("trainer", [4])
    workers = addresses("trainer", [1, 2, 3])
    dense = {"chief": chief, "worker": workers, "ps": ps}
    check(resolve(values["trainer-0"]), "chief", 0, dense)
    check(resolve(values["trainer-4"]), "ps", 0, dense)
    for index in range(3):
        resolver = resolve(values[f"trainer-{index + 1}"])
        assert (resolver.task_type, resolver.task_id) == ("worker", index)
        spec = resolver.cluster_spec()
        assert spec.task_indices("worker") == [index]
        assert spec.task_address("worker", index) == workers[index]
        assert spec.as_dict()["chief"] == chief and spec.as_dict()["ps"] == ps
        # As a list, which TensorFlow makes where the indexes are dense: true of worker 0 alone.
        assert spec.as_dict()["worker"] == ([workers[0]] if index == 0 else {index: workers[index]})


def test_the_rpc_layer(resolve):
    value = values_of(stateful_set(rpc_layer="grpc"))["trainer-1"]
    resolver = resolve(value)
    check(resolver, "worker", 1, {"worker": addresses("trainer", [0, 1, 2])}, rpc_layer="grpc")
    assert resolver.master("worker", 1) == "grpc://" + addresses("trainer", [1])[0]


def test_short_addresses(resolve):
    value = values_of(stateful_set(address="short", port="12345"))["trainer-2"]
    check(resolve(value), "worker", 2, {"worker": addresses("trainer", [0, 1, 2], port=12345, end="")})


def test_names_without_a_cluster_domain(resolve):
    value = values_of(stateful_set(), domain="")["trainer-0"]
    check(resolve(value), "worker", 0, {"worker": addresses("trainer", [0, 1, 2], end=".ml.svc")})


def test_ordinals_that_start_at_five(resolve):
    values = values_of(stateful_set(start=5))
    assert list(values) == ["trainer-5", "trainer-6", "trainer-7"]
    check(resolve(values["trainer-6"]), "worker", 1, {"worker": addresses("trainer", [5, 6, 7])})


def test_a_group_of_three_sets(resolve):
    line = "chief=m-chief:1,worker=m-worker:2,ps=m-ps:1,worker=m-chief:1"
    cluster = {"chief": addresses("m-chief", [0]),
               "worker": addresses("m-worker", [0, 1]) + addresses("m-chief", [1]), "ps": addresses("m-ps", [0])}
    values = {}
    for name, replicas in (("m-chief", 2), ("m-worker", 2), ("m-ps", 1)):
        values.update(values_of(stateful_set(name=name, replicas=replicas, cluster=line)))
    for pod, role, index in (("m-chief-0", "chief", 0), ("m-worker-0", "worker", 0), ("m-worker-1", "worker", 1),
                             ("m-chief-1", "worker", 2), ("m-ps-0", "ps", 0)):
        check(resolve(values.pop(pod)), role, index, cluster)
    assert not values


def test_a_large_group(resolve):
    value = values_of(stateful_set(replicas=1600), ordinals=[1599])["trainer-1599"]
    check(resolve(value), "worker", 1599, {"worker": addresses("trainer", range(1600))})


@pytest.mark.parametrize("ordinal", [0, 1])
def test_the_value_of_the_tutorial_has_the_same_shape(resolve, ordinal):
    """The multi-worker tutorial's own value, with the names of pods in place of its addresses."""
    tutorial = ('{"cluster":{"worker":["192.168.4.53:12345","192.168.4.55:23456"]},'
                '"task":{"type":"worker","index":0}}')
    ours = values_of(stateful_set(replicas=2, port="12345"))[f"trainer-{ordinal}"]
    by_name = tutorial
    for theirs, name in (("192.168.4.53:12345", "trainer-0"), ("192.168.4.55:23456", "trainer-1")):
        by_name = by_name.replace(theirs, f"{name}.hl.ml.svc.{DOMAIN}:12345")
    assert ours == by_name.replace('"index":0', f'"index":{ordinal}')
    assert shape(json.loads(ours)) == shape(json.loads(tutorial))
    theirs = resolve(tutorial)
    mine = resolve(ours)
    assert (mine.task_type, mine.task_id) == (theirs.task_type, ordinal)
    assert shape(mine.cluster_spec().as_dict()) == shape(theirs.cluster_spec().as_dict())
    assert mine.rpc_layer == theirs.rpc_layer


def shape(value):
    """Keys in their order, and types; nothing of what the strings and numbers say."""
    if isinstance(value, dict):
        return [(key, shape(each)) for key, each in value.items()]
    if isinstance(value, list):
        return [shape(each) for each in value]
    return type(value).__name__
