# SPDX-License-Identifier: Apache-2.0
"""What the webhook says after a look at the cluster: warnings at `kubectl apply`, events later; and the rights for it.

The texts are here as kubectl prints them.
"""

import time

import pytest
from e2e_harness import (SYSTEM, WEBHOOK, WEBHOOK_PODS, drop_namespace, new_namespace, run_documented, service,
                         stateful_set)

pytest_plugins = ["e2e_harness"]

ADVICE = "tfconfig-webhook-advice"
ACCOUNT = f"system:serviceaccount:{SYSTEM}:{WEBHOOK}"
PAUSE = 60  # seconds for which nothing is asked after a refusal
OFF = "advice and restarts after a scale are off: the webhook is not allowed to query the cluster"
ON = "advice and restarts after a scale are on again"
MISSING = "the pods find each other by a headless Service, which is missing: Service trainer"
UNREADY = "no pod has a name before it is ready: set publishNotReadyAddresses: true on Service trainer"


def changed(**spec):
    """The Service of `trainer` with other fields; None takes one away."""
    obj = service()
    obj["spec"] = {key: value for key, value in {**obj["spec"], **spec}.items() if value is not None}
    return obj


def warnings(said):
    lines = said.splitlines()
    assert all(line.startswith("Warning: ") for line in lines), said
    return [line.removeprefix("Warning: ") for line in lines]


# At kubectl apply


PORTS = [{"name": "tensorflow", "port": 2222}]
SERVICES = {
    "missing": (None, {}, [MISSING]),
    "with a cluster IP": (
        changed(clusterIP=None, ports=PORTS), {},
        ["a Service with a cluster IP gives pods no names: set clusterIP: None on Service trainer"]),
    "of ready pods alone": (changed(publishNotReadyAddresses=None), {}, [UNREADY]),
    "of ready pods alone, for pods that wait": (
        changed(publishNotReadyAddresses=None), {"wait": "true"},
        ["tfconfig.dev/wait waits forever: set publishNotReadyAddresses: true on Service trainer"]),
    "without a selector": (
        changed(selector=None), {}, ["a Service without a selector gives pods no names: Service trainer"]),
    "of other pods": (
        changed(selector={"app": "trainer", "tier": "gpu"}), {},
        ["the pods are not selected by tier=gpu, as their template lacks it: Service trainer"]),
    "with all that can be wrong": (
        changed(clusterIP=None, ports=PORTS, publishNotReadyAddresses=None, selector={"app": "other"}), {},
        ["a Service with a cluster IP gives pods no names: set clusterIP: None on Service trainer", UNREADY,
         "the pods are not selected by app=other, as their template lacks it: Service trainer"]),
    "as it should be": (service(), {}, []),
}


@pytest.mark.api
@pytest.mark.parametrize("case", SERVICES)
def test_what_apply_says_of_the_service(namespace, case):
    obj, annotations, expected = SERVICES[case]
    if obj:
        namespace.applied(obj)
    trainer = stateful_set(annotations=annotations)
    assert warnings(namespace.applied(trainer, flags=["--dry-run=server"])) == expected
    assert namespace.get("statefulset", "trainer") is None
    assert warnings(namespace.applied(trainer)) == expected
    assert namespace.get("statefulset", "trainer")


LINE = "chief=m-chief:1,worker=m-worker:2"
SHARED = service("m", {"group": "m"})


def of_group(name, annotations=None, **fields):
    """A set whose pods the shared Service selects."""
    obj = stateful_set(name, {"cluster": LINE, **(annotations or {})}, **{"service": "m", **fields})
    obj["spec"]["template"]["metadata"]["labels"]["group"] = "m"
    return obj


CHIEF, WORKER = of_group("m-chief", replicas=1), of_group("m-worker")
OTHERS = {
    "not opted in": (
        of_group("m-worker", {"inject": "false"}),
        'another set of the group needs tfconfig.dev/inject: "true" too: StatefulSet m-worker'),
    "another Service": (
        of_group("m-worker", {"cluster": "chief=m-chief.m:1,worker=m-worker:2"}, service="n"),
        "the group names Service m for a set whose spec.serviceName is n: StatefulSet m-worker"),
    "another line": (
        of_group("m-worker", {"cluster": f"{LINE},ps=m-ps:1"}),
        "tfconfig.dev/cluster must be the same line on each set of the group: StatefulSet m-worker"),
    "another port": (
        of_group("m-worker", {"port": "3333"}),
        "tfconfig.dev/port must be the same on each set of the group: StatefulSet m-worker"),
}


@pytest.mark.api
@pytest.mark.parametrize("case", OTHERS)
def test_what_apply_says_of_another_set_of_the_group(namespace, case):
    other, expected = OTHERS[case]
    namespace.applied(SHARED, other)
    assert warnings(namespace.applied(CHIEF, flags=["--dry-run=server"])) == [expected]
    assert warnings(namespace.applied(CHIEF)) == [expected]


@pytest.mark.api
def test_what_apply_says_of_another_set_that_was_scaled(namespace):
    namespace.applied(SHARED, WORKER)
    namespace.done("scale", "statefulset", "m-worker", "--replicas=3")
    assert warnings(namespace.applied(CHIEF)) == [
        "the group counts 2 pods of a set whose spec.replicas is 3: StatefulSet m-worker"]


@pytest.mark.api
def test_a_group_of_one_file_is_applied_without_a_word(namespace):
    """The first of two sets is there before the other."""
    assert namespace.applied(SHARED, CHIEF, WORKER) == ""


@pytest.mark.api
def test_a_service_that_is_mended_is_not_warned_of_again(namespace):
    """No copy of it is kept: what was applied a moment ago is what counts."""
    broken = changed(publishNotReadyAddresses=None)
    assert warnings(namespace.applied(stateful_set())) == [MISSING]
    namespace.applied(broken)
    bigger = stateful_set(replicas=3)
    assert warnings(namespace.applied(bigger)) == [UNREADY]
    namespace.applied(service())
    assert namespace.applied(stateful_set(replicas=4)) == ""
    namespace.done("delete", "service", "trainer")
    assert warnings(namespace.applied(stateful_set(replicas=5))) == [MISSING]


# Later


def service_events(namespace, reason):
    return [(event["type"], event["message"], event["count"]) for event in namespace.told("trainer", reason)]


def described(namespace, reason):
    """The line of an event as `kubectl describe` prints it, blanks made one."""
    lines = namespace.done("describe", "statefulset", "trainer").splitlines()
    return [" ".join(line.split()) for line in lines if f" {reason} " in line]


@pytest.mark.api
@pytest.mark.timeout(600, func_only=True)
def test_a_service_that_stays_away_and_comes_broken_is_told_as_events_until_it_is_mended(namespace):
    namespace.applied(stateful_set())
    message = namespace.denial("trainer", MISSING, "ServiceMissing")
    assert message == MISSING
    (line,) = described(namespace, "ServiceMissing")
    assert line.startswith("Warning ServiceMissing ") and line.endswith(f" {WEBHOOK} {MISSING}")

    namespace.applied(changed(publishNotReadyAddresses=None))
    began = time.monotonic()
    namespace.wait_for(lambda: UNREADY in namespace.events("trainer", "ServiceNotReady"), "ServiceNotReady", 180)
    print(f"{time.monotonic() - began:.1f} s from a change of the Service to its event")
    (line,) = described(namespace, "ServiceNotReady")
    assert line.startswith("Warning ServiceNotReady ") and line.endswith(f" {WEBHOOK} {UNREADY}")

    namespace.applied(service())
    assert namespace.applied(stateful_set(replicas=3)) == ""
    # A second set without its Service is told of after the first was looked at again.
    namespace.applied(stateful_set("second"))
    namespace.denial("second", "which is missing: Service second", "ServiceMissing")
    assert service_events(namespace, "ServiceMissing") == [("Warning", MISSING, 1)]
    assert service_events(namespace, "ServiceNotReady") == [("Warning", UNREADY, 1)]


@pytest.mark.api
def test_a_service_that_comes_in_time_is_no_event(namespace):
    """As where a file has the set before its Service."""
    assert warnings(namespace.applied(stateful_set(), service())) == [MISSING]
    namespace.applied(stateful_set("second"))
    namespace.denial("second", "which is missing: Service second", "ServiceMissing")
    assert service_events(namespace, "ServiceMissing") == []
    assert service_events(namespace, "ServiceNotReady") == []


# Rights


MAY = {"services": ["get"], "statefulsets.apps": ["get", "list", "watch", "patch"],
       "events": ["create", "get", "patch"]}
VERBS = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"]


def can_i(cluster, verb, resource):
    asked = cluster.kubectl("auth", "can-i", verb, resource, "--all-namespaces", f"--as={ACCOUNT}", check=False)
    assert asked.stdout.strip() in ("yes", "no"), asked.stderr
    return asked.stdout.strip() == "yes"


@pytest.mark.api
def test_it_may_do_what_the_role_says_and_no_more(cluster, webhook):
    for resource in (*MAY, "pods", "secrets", "deployments.apps"):
        assert [verb for verb in VERBS if can_i(cluster, verb, resource)] == [
            verb for verb in VERBS if verb in MAY.get(resource, [])], resource


def advises(namespace):
    """Whether a set without a Service is warned of."""
    return MISSING in namespace.applied(stateful_set("probe", service="trainer"), flags=["--dry-run=server"])


def each_said_once(webhook, message):
    """Whether each replica has said it, and none a second time."""
    counts = list(webhook.said(message).values())
    assert max(counts) <= 1, counts
    return counts == [1, 1]


@pytest.fixture
def other_namespace(cluster, webhook):
    namespace = new_namespace(cluster, "unharmed")
    yield namespace
    drop_namespace(namespace)


@pytest.mark.alone
@pytest.mark.timeout(900, func_only=True)
def test_without_the_role_it_is_off_which_is_said_once_and_with_it_on_again(namespace, other_namespace, webhook):
    """No replica is restarted for it; all are new at the start, so that their logs are empty."""
    webhook.system.done("rollout", "restart", f"deployment/{WEBHOOK}")
    webhook.wait_until_in_force()
    names = sorted(pod["metadata"]["name"] for pod in webhook.pods())
    namespace.wait_for(lambda: advises(other_namespace), "it advises")
    namespace.applied(service(), stateful_set(replicas=1))
    namespace.rolled_out("trainer")
    revisions = namespace.revisions("trainer")
    namespace.done("delete", "clusterrolebinding", ADVICE)
    try:
        namespace.wait_for(lambda: not advises(other_namespace), "there is no advice any more")
        namespace.done("scale", "statefulset", "trainer", "--replicas=2")
        namespace.wait_for(lambda: each_said_once(webhook, OFF), "each replica says that it is off", 180)
        # Admissions go on, without a word.
        assert other_namespace.applied(stateful_set()) == ""
        other_namespace.rolled_out("trainer")
        assert None not in other_namespace.given("trainer")
        assert namespace.denial("trainer", "before it was scaled")
        time.sleep(2 * PAUSE)  # this is what is tested: it tries again, and says nothing
        assert not advises(other_namespace)
        assert namespace.revisions("trainer") == revisions
        assert each_said_once(webhook, OFF) and sum(webhook.said(ON).values()) == 0
        assert webhook.settled()
    finally:
        webhook.cluster.kubectl("apply", "-k", webhook.overlay)
    namespace.wait_for(lambda: advises(other_namespace), "it advises again", 180)
    namespace.wait_for(lambda: namespace.events("trainer", "GroupResized"), "the set is restarted after all", 180)
    namespace.rolled_out("trainer")
    assert len(namespace.given("trainer")) == 2
    assert len(set(namespace.revisions("trainer")) - set(revisions)) == 1
    # A replica that is asked for no review does not know yet that it may look again.
    assert max(webhook.said(ON).values()) == 1
    assert each_said_once(webhook, OFF)
    assert sorted(pod["metadata"]["name"] for pod in webhook.pods()) == names


@pytest.mark.alone
@pytest.mark.api
@pytest.mark.timeout(600, func_only=True)
def test_from_default_to_minimal_and_back_as_told(namespace, cluster, webhook):
    """By the documentation's own commands; nothing of the rights stays, and no replica is restarted."""
    names = sorted(pod["metadata"]["name"] for pod in webhook.pods())
    namespace.wait_for(lambda: advises(namespace), "it advises")
    try:
        run_documented(cluster, "From default to minimal", webhook.folder)
        for resource, verbs in MAY.items():
            assert not any(can_i(cluster, verb, resource) for verb in verbs)
        left = cluster.kubectl("get", "clusterroles,clusterrolebindings", "-l", WEBHOOK_PODS, "-o", "name").stdout
        assert {line.partition("/")[2] for line in left.split()} == {WEBHOOK}
        namespace.wait_for(lambda: not advises(namespace), "there is no advice any more")
        assert namespace.applied(stateful_set()) == ""
    finally:
        cluster.kubectl("apply", "-k", webhook.overlay)
    namespace.wait_for(lambda: advises(namespace), "it advises again", 180)
    assert sorted(pod["metadata"]["name"] for pod in webhook.pods()) == names
