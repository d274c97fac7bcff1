# SPDX-License-Identifier: Apache-2.0
"""What the processes of the pods find in their environment, in every shape that a group can have."""

import json
import re

import pytest
from e2e_harness import (GROUP, INDEX, ROLE, container, drop_namespace, new_namespace, parse_environment, service,
                         stateful_set, tf_config)

pytest_plugins = ["e2e_harness"]

ROLES = "chief=m-chief:1,worker=m-worker:2,ps=m-ps:1,evaluator=m-evaluator:1"
OWN = '{"cluster":{"worker":["elsewhere:1"]},"task":{"type":"worker","index":0}}'


def echo_environment(name):
    """An init container that prints its own environment, and ends."""
    return container(name, command=["cat", "/proc/1/environ"])


def of_group(name, replicas):
    return stateful_set(name, {"cluster": ROLES}, replicas=replicas, service="m")


SETS = [
    stateful_set("plain", replicas=3, containers=[
        container("first"),  # no env at all
        container("second", env=[]),
        container("third", env=[{"name": "BEFORE", "value": "1"}, {"name": "COPY", "value": "is $(TF_CONFIG)"}]),
    ]),
    stateful_set("from-five", replicas=2, ordinals={"start": 5}),
    stateful_set("with-chief", {"cluster": "chief:1,worker:*"}, replicas=3),
    of_group("m-chief", 1), of_group("m-worker", 2), of_group("m-ps", 1), of_group("m-evaluator", 1),
    stateful_set("sparse", {"cluster": "chief:1,worker:2,ps:1", "sparse": "true"}, replicas=4),
    stateful_set("named-port", {"port": "peers"}, replicas=1,
                 containers=[container(ports=[{"name": "peers", "containerPort": 2345}])]),
    stateful_set("listed", {"containers": "first,setup,helper"}, replicas=1,
                 containers=[container("first"), container("second")],
                 pod={"initContainers": [echo_environment("setup"), echo_environment("unlisted"),
                                         container("helper", restartPolicy="Always")]}),
    stateful_set("by-default", replicas=1,
                 pod={"initContainers": [echo_environment("setup"), container("helper", restartPolicy="Always")]}),
    stateful_set("keeps", replicas=1, containers=[container(env=[{"name": "TF_CONFIG", "value": OWN}])]),
    stateful_set("replaces", {"overwrite": "true"}, replicas=1, containers=[
        container("by-value", env=[{"name": "TF_CONFIG", "value": OWN}, {"name": "AFTER", "value": "1"}]),
        container("by-source", env=[{"name": "TF_CONFIG", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}]),
    ]),
    stateful_set("short", {"address": "short"}, replicas=2),
    stateful_set("layer", {"rpc-layer": "grpc"}, replicas=1),
]


@pytest.fixture(scope="module")
def shapes(cluster, webhook):
    """All sets, applied at once: their pods start side by side."""
    namespace = new_namespace(cluster, "shapes")
    services = [service(obj["metadata"]["name"]) for obj in SETS if obj["spec"]["serviceName"] != "m"]
    namespace.warnings = namespace.applied(service("m"), *services, *SETS)
    yield namespace
    drop_namespace(namespace)


def test_every_container_of_a_plain_trainer_has_the_value_byte_for_byte(shapes):
    workers = ('{"cluster":{"worker":["plain-0.plain.shapes.svc.cluster.local:2222",'
               '"plain-1.plain.shapes.svc.cluster.local:2222","plain-2.plain.shapes.svc.cluster.local:2222"]},')
    for name in ("first", "second", "third"):
        assert shapes.values("plain", name) == {
            f"plain-{index}": f'{workers}"task":{{"type":"worker","index":{index}}}}}' for index in range(3)}


def test_the_pods_carry_role_and_index_as_labels(shapes):
    shapes.rolled_out("plain")
    shapes.rolled_out("with-chief")
    labels = [(pod["metadata"]["labels"][ROLE], pod["metadata"]["labels"][INDEX]) for pod in shapes.pods("plain")]
    assert labels == [("worker", "0"), ("worker", "1"), ("worker", "2")]
    labels = [(pod["metadata"]["labels"][ROLE], pod["metadata"]["labels"][INDEX]) for pod in shapes.pods("with-chief")]
    assert labels == [("chief", "0"), ("worker", "0"), ("worker", "1")]
    found = shapes.done("get", "pods", "-l", "app=plain,tfconfig.dev/role=worker,tfconfig.dev/index=2", "-o", "name")
    assert found.split() == ["pod/plain-2"]


def test_every_address_resolves_to_the_pod_inside_the_pods(shapes):
    value = json.loads(shapes.values("plain", "first")["plain-0"])
    for pod, address in zip(shapes.pods("plain"), value["cluster"]["worker"], strict=True):
        name = address.partition(":")[0]
        answer = shapes.wait_for(lambda n=name: shapes.kubectl("exec", "plain-1", "--", "getent", "hosts", n).stdout,
                                 f"{name} resolves")
        assert answer.split()[0] == pod["status"]["podIP"]


def test_short_addresses_resolve_too(shapes):
    values = shapes.values("short")
    assert values["short-1"] == tf_config({"worker": ["short-0.short:2222", "short-1.short:2222"]}, "worker", 1)
    shapes.wait_for(lambda: shapes.kubectl("exec", "short-0", "--", "getent", "hosts", "short-1.short").stdout,
                    "a short name resolves")


def test_a_later_variable_of_the_user_can_use_ours(shapes):
    shapes.rolled_out("plain")
    environment = shapes.environment("plain-0", "third")
    assert environment["COPY"] == f"is {environment['TF_CONFIG']}"
    assert environment["BEFORE"] == "1"


def test_the_index_counts_from_0_where_ordinals_start_at_5(shapes):
    workers = {"worker": shapes.addresses("from-five", [5, 6])}
    assert shapes.values("from-five") == {"from-five-5": tf_config(workers, "worker", 0),
                                          "from-five-6": tf_config(workers, "worker", 1)}


def test_pod_0_is_the_chief_and_the_rest_are_workers(shapes):
    cluster = {"chief": shapes.addresses("with-chief", [0]), "worker": shapes.addresses("with-chief", [1, 2])}
    assert shapes.values("with-chief") == {"with-chief-0": tf_config(cluster, "chief", 0),
                                           "with-chief-1": tf_config(cluster, "worker", 0),
                                           "with-chief-2": tf_config(cluster, "worker", 1)}


def test_three_sets_of_one_group_agree_and_the_evaluator_stands_aside(shapes):
    cluster = {"chief": shapes.addresses("m-chief", [0], "m"), "worker": shapes.addresses("m-worker", [0, 1], "m"),
               "ps": shapes.addresses("m-ps", [0], "m")}
    assert shapes.values("m-chief") == {"m-chief-0": tf_config(cluster, "chief", 0)}
    assert shapes.values("m-worker") == {"m-worker-0": tf_config(cluster, "worker", 0),
                                         "m-worker-1": tf_config(cluster, "worker", 1)}
    assert shapes.values("m-ps") == {"m-ps-0": tf_config(cluster, "ps", 0)}
    its_own = {**cluster, "evaluator": shapes.addresses("m-evaluator", [0], "m")}
    assert shapes.values("m-evaluator") == {"m-evaluator-0": tf_config(its_own, "evaluator", 0)}


def test_a_sparse_worker_sees_the_chief_every_ps_and_itself(shapes):
    chief, first, second, ps = shapes.addresses("sparse", range(4))
    dense = {"chief": [chief], "worker": [first, second], "ps": [ps]}
    assert shapes.values("sparse") == {
        "sparse-0": tf_config(dense, "chief", 0),
        "sparse-1": tf_config({"chief": [chief], "worker": {"0": first}, "ps": [ps]}, "worker", 0),
        "sparse-2": tf_config({"chief": [chief], "worker": {"1": second}, "ps": [ps]}, "worker", 1),
        "sparse-3": tf_config(dense, "ps", 0),
    }


def test_a_port_s_name_becomes_its_number(shapes):
    workers = {"worker": shapes.addresses("named-port", [0], port=2345)}
    assert shapes.values("named-port") == {"named-port-0": tf_config(workers, "worker", 0)}


def test_the_listed_containers_alone_get_it_init_containers_and_native_sidecars_too(shapes):
    value = tf_config({"worker": shapes.addresses("listed", [0])}, "worker", 0)
    shapes.rolled_out("listed")
    assert shapes.environment("listed-0", "first")["TF_CONFIG"] == value
    assert "TF_CONFIG" not in shapes.environment("listed-0", "second")
    assert shapes.environment("listed-0", "helper")["TF_CONFIG"] == value
    assert parse_environment(shapes.done("logs", "listed-0", "-c", "setup"))["TF_CONFIG"] == value
    assert "TF_CONFIG" not in parse_environment(shapes.done("logs", "listed-0", "-c", "unlisted"))


def test_without_a_list_no_init_container_gets_it(shapes):
    shapes.rolled_out("by-default")
    assert "TF_CONFIG" in shapes.environment("by-default-0", "tensorflow")
    assert "TF_CONFIG" not in shapes.environment("by-default-0", "helper")
    assert "TF_CONFIG" not in parse_environment(shapes.done("logs", "by-default-0", "-c", "setup"))


def test_a_value_of_the_user_s_own_is_kept_with_a_warning(shapes):
    assert shapes.values("keeps") == {"keeps-0": OWN}
    assert "Warning: keeps its own TF_CONFIG; tfconfig.dev/overwrite: \"true\" replaces it" in shapes.warnings


def test_overwrite_replaces_a_value_and_a_source(shapes):
    value = tf_config({"worker": shapes.addresses("replaces", [0])}, "worker", 0)
    for name in ("by-value", "by-source"):
        assert shapes.values("replaces", name) == {"replaces-0": value}
    (pod,) = shapes.pods("replaces")
    names = [[entry["name"] for entry in each["env"]] for each in pod["spec"]["containers"]]
    assert names == [["TF_CONFIG", "AFTER"], ["TF_CONFIG"]]


def test_the_rpc_layer_is_there_where_asked_for(shapes):
    assert json.loads(shapes.values("layer")["layer-0"])["rpc_layer"] == "grpc"


def test_twelve_replicas_are_in_numeric_order(namespace):
    namespace.applied(service(), stateful_set(replicas=12))
    workers = {"worker": namespace.addresses("trainer", range(12))}
    assert namespace.values("trainer") == {f"trainer-{n}": tf_config(workers, "worker", n) for n in range(12)}


def test_a_pod_that_is_made_anew_gets_the_same_bytes(namespace):
    namespace.applied(service(), stateful_set(replicas=2))
    before = namespace.values("trainer")
    uids = [pod["metadata"]["uid"] for pod in namespace.pods("trainer")]
    namespace.done("delete", "pod", "trainer-1")
    namespace.wait_for(lambda: any(pod["metadata"]["uid"] not in uids for pod in namespace.pods("trainer")),
                       "the pod is made anew")
    assert namespace.values("trainer") == before


def test_annotations_on_the_pod_template_count_as_on_the_set(namespace):
    annotated = stateful_set(annotations={"inject": None}, replicas=1,
                             template_annotations={"tfconfig.dev/inject": "true", "tfconfig.dev/port": "3333"})
    namespace.applied(service(), annotated)
    workers = {"worker": namespace.addresses("trainer", [0], port=3333)}
    assert namespace.values("trainer") == {"trainer-0": tf_config(workers, "worker", 0)}
    assert GROUP in namespace.get("pod", "trainer-0")["metadata"]["annotations"]


def test_the_largest_group_that_is_let_through_starts(namespace):
    """Linux refuses a longer variable, and the container would not start."""
    def of_size(others):
        return stateful_set(annotations={"cluster": f"worker=trainer:1,worker=others:{others}"}, replicas=1)

    namespace.applied(service())
    refused = namespace.apply(of_size(5000))
    assert refused.returncode == 1
    (size,) = re.findall(r"the largest group of this shape that fits has ([0-9]+) pods", refused.stderr)
    assert namespace.apply(of_size(int(size))).returncode == 1
    namespace.applied(of_size(int(size) - 1))
    (value,) = namespace.values("trainer").values()
    assert 131_061 - 100 < len(value) <= 131_061
    assert len(json.loads(value)["cluster"]["worker"]) == int(size)
