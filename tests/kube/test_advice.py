# SPDX-License-Identifier: Apache-2.0
"""Advice that needs a look at the cluster: what `serve` asks the API server while a StatefulSet is reviewed, and that
nothing that the API server does, or fails to do, costs more than the advice."""

import contextlib
import json
import signal
import threading

import pytest
from server_harness import (NO_CLUSTER, PATIENCE, eventually, is_closed, pair, pod_review, post,  # noqa: F401
                            post_chunked, read_answer, serve, stateful_set_review)

from kube.fake_api_server import REGISTRATION, SECRET, SERVICE, STATEFUL_SET
from kube.test_certificates import QUICK, start  # noqa: F401

OFF = ("advice and restarts after a scale are off: the webhook is not allowed to query the cluster; "
       "manifests/components/cluster-advice allows it")
AGAIN = "advice and restarts after a scale are on again"

PATIENT = ("--advice-timeout", "60000")  # so that a busy machine is no reason to do without
LINE = "chief=m-chief:1,worker=m-worker:2"
SOUND = {"clusterIP": "None", "publishNotReadyAddresses": True, "selector": {"app": "trainer"}}


def is_advice(request):
    return request.resource in (SERVICE, STATEFUL_SET)


@pytest.fixture
def advised(api, serve):  # noqa: F811
    """Starts servers that can look objects up."""
    def start(*flags):
        return serve("--service-account", str(api.folder.path), *flags, environment=api.env)
    return start


@pytest.fixture
def server(advised):
    return advised(*PATIENT, "--wait-image", "tfconfig-webhook:test")


def review(name="trainer", uid="ss-uid", annotations=None, spec=None, operation="CREATE", dry_run=False):
    """A review of a set that gives no reason for other advice."""
    body = json.loads(stateful_set_review(uid=uid, name=name))
    request = body["request"]
    stateful_set = request["object"]
    stateful_set["metadata"]["annotations"].update(annotations or {})
    stateful_set["spec"].update({"serviceName": "trainer", "podManagementPolicy": "Parallel", **(spec or {})})
    stateful_set["spec"]["template"]["metadata"]["labels"]["app"] = "trainer"
    stateful_set["spec"]["template"]["spec"]["enableServiceLinks"] = False
    if operation == "UPDATE":
        request["oldObject"] = json.loads(json.dumps(stateful_set))
    return json.dumps({**body, "request": {**request, "operation": operation, "dryRun": dry_run}}).encode()


def member(name="m-chief", replicas=1, line=LINE, **more):
    return review(name=name, annotations={"tfconfig.dev/cluster": line}, spec={"replicas": replicas}, **more)


def warnings(answer):
    assert answer.status == 200 and answer.json["allowed"] is True
    assert all(len(warning.encode()) <= 120 for warning in answer.json.get("warnings", []))
    return answer.json.get("warnings", [])


def other(api, name="m-worker", replicas=2, service="trainer", namespace="ml", **annotations):
    values = {"inject": "true", "cluster": LINE, **annotations}
    api.place(STATEFUL_SET, namespace, name, spec={"serviceName": service, "replicas": replicas, "template": {}},
              metadata={"annotations": {f"tfconfig.dev/{key}": value for key, value in values.items() if value}})


class Asking:
    """A review that another thread waits for."""

    def __init__(self, server, body):
        self.answer = None
        self._thread = threading.Thread(target=self._run, args=(server, body))
        self._thread.start()

    def _run(self, server, body):
        with contextlib.suppress(OSError):
            self.answer = server.review(body)

    def wait(self):
        self._thread.join(PATIENCE * 2)

    def result(self):
        self.wait()
        assert self.answer, "no answer"
        return self.answer


def ask_many(server, count, body):
    asking = [Asking(server, body(i)) for i in range(count)]
    return [one.result() for one in asking]


@pytest.mark.parametrize("spec, warning", [
    (None, "the pods find each other by a headless Service, which is missing: Service trainer"),
    ({**SOUND, "clusterIP": "10.0.0.1"},
     "a Service with a cluster IP gives pods no names: set clusterIP: None on Service trainer"),
    ({**SOUND, "publishNotReadyAddresses": False},
     "no pod has a name before it is ready: set publishNotReadyAddresses: true on Service trainer"),
    ({**SOUND, "selector": None}, "a Service without a selector gives pods no names: Service trainer"),
    ({**SOUND, "selector": {"app": "x"}},
     "the pods are not selected by app=x, as their template lacks it: Service trainer"),
])
def test_problems_of_the_service_are_reported(api, server, spec, warning):
    api.place(SERVICE, "other", "trainer", spec=SOUND)  # one of another namespace is of no use
    if spec:
        api.place(SERVICE, "ml", "trainer", spec=spec)
    assert warnings(server.review(review())) == [warning]
    assert server.metrics()["advice_lookups_total{result=\"%s\"}" % ("found" if spec else "missing")] == 1


def test_a_set_that_waits_is_warned_of_a_service_that_hides_pods(api, server):
    api.place(SERVICE, "ml", "trainer", spec={**SOUND, "publishNotReadyAddresses": False})
    assert warnings(server.review(review(annotations={"tfconfig.dev/wait": "true"}))) == [
        "tfconfig.dev/wait waits forever: set publishNotReadyAddresses: true on Service trainer"]


@pytest.mark.parametrize("change, warning", [
    ({"inject": None}, 'another set of the group needs tfconfig.dev/inject: "true" too: StatefulSet m-worker'),
    ({"replicas": 3}, "the group counts 2 pods of a set whose spec.replicas is 3: StatefulSet m-worker"),
    ({"cluster": "chief=m-chief:1,worker=m-worker:1,worker=m-other:1"},
     "tfconfig.dev/cluster must be the same line on each set of the group: StatefulSet m-worker"),
    ({"service": "x"},
     "the group names Service trainer for a set whose spec.serviceName is x: StatefulSet m-worker"),
    ({"port": "2223"}, "tfconfig.dev/port must be the same on each set of the group: StatefulSet m-worker"),
])
def test_differences_on_another_set_of_the_group_are_reported(api, server, change, warning):
    api.place(SERVICE, "ml", "trainer", spec=SOUND)
    other(api, **change)
    assert warnings(server.review(member())) == [warning]


def test_what_is_right_or_may_still_be_applied_causes_no_warning(api, server):
    api.place(SERVICE, "ml", "trainer", spec=SOUND)
    other(api, namespace="other", replicas=7)
    assert warnings(server.review(member())) == []
    other(api)
    assert warnings(server.review(member())) == []
    assert [request.path for request in api.seen(is_advice)] == 2 * [
        "/api/v1/namespaces/ml/services/trainer", "/apis/apps/v1/namespaces/ml/statefulsets/m-worker"]
    assert len({request.connection for request in api.seen(is_advice)}) == 1


def test_an_update_and_a_dry_run_get_the_same_warnings_and_patch(api, server):
    answers = [server.review(review(dry_run=dry_run)).json for dry_run in (False, True)]
    assert answers[0] == answers[1]
    assert "missing: Service trainer" in answers[0]["warnings"][0]
    assert "missing: Service trainer" in warnings(server.review(review(operation="UPDATE")))[0]
    assert len(api.seen(is_advice)) == 3


def test_advice_changes_only_warnings(api, server, serve):  # noqa: F811
    without = serve("--wait-image", "tfconfig-webhook:test").review(review()).json
    advised = server.review(review()).json
    assert advised.pop("warnings") and "warnings" not in without
    assert advised == without


def test_a_group_of_many_sets_is_looked_at_up_to_a_bound(api, server):
    sets = [f"m-{i}" for i in range(40)]
    line = ",".join(f"worker={name}:1" for name in sets)
    for name in sets:
        other(api, name, replicas=1, cluster=line, port="7")
    assert len(warnings(server.review(member("m-0", line=line)))) == 16
    assert len(api.seen(is_advice)) == 16


def test_reviews_that_advice_is_not_for_ask_nothing(api, server):
    assert server.review(pod_review()).json["allowed"] is True
    assert server.review(stateful_set_review("false")).json["allowed"] is True
    assert server.review(stateful_set_review("maybe")).json["allowed"] is False
    assert server.review(b"{}").status == 400
    assert not api.seen(is_advice)


def test_a_webhook_without_the_rights_says_so_once_and_serves(api, advised):
    server = advised(*PATIENT)
    api.role["get"] = {SECRET, REGISTRATION}
    for _ in range(5):
        assert warnings(server.review(member())) == []
    event = server.wait_for_event(OFF)
    assert event["level"] == "info"
    assert 'HTTP 403: services "trainer" is forbidden' in event["message"]
    assert len(api.seen(is_advice)) == 1, "nothing is asked for a while"
    server.stop()
    assert len(server.events(OFF)) == 1


def test_a_refusal_is_reported_again_after_a_success(api, advised):
    server = advised(*PATIENT, "--advice-pause", "0")
    api.place(SERVICE, "ml", "trainer", spec=SOUND)
    with api.fail(401, "Unauthorized", where=is_advice):
        for _ in range(3):
            assert warnings(server.review(review())) == []
    assert len(api.seen(is_advice)) == 3
    assert "HTTP 401" in server.wait_for_event(OFF)["message"]
    assert server.events(AGAIN) == []
    server.review(review())
    server.wait_for_event(AGAIN)
    with api.fail(403, where=is_advice):
        server.review(review())
    server.wait_for_event(OFF, count=2)
    server.stop()
    assert (len(server.events(OFF)), len(server.events(AGAIN))) == (2, 1)


def test_a_right_to_only_one_kind_causes_no_flood(api, advised):
    server = advised(*PATIENT, "--advice-pause", "0")
    api.role["get"] = {SERVICE}
    for _ in range(3):
        assert "missing: Service trainer" in warnings(server.review(member()))[0]
    server.stop()
    assert (len(server.events(OFF)), len(server.events(AGAIN))) == (1, 0)


def test_an_api_server_that_hangs_costs_only_the_advice(api, advised):
    server = advised("--request-timeout", "15s")  # 60 that wait for each other, or one without a bound, are cut
    with api.hang(where=is_advice) as fault:
        assert warnings(server.review(review())) == []
        assert len(ask_many(server, 60, lambda i: review(uid=str(i)))) == 60
        assert fault.hits >= 1 and not fault.ended.is_set()
        metrics = server.metrics()
    assert metrics["advice_late_total"] == 61
    assert metrics['advice_lookups_total{result="unknown"}'] == 61
    assert metrics['admission_requests_total{resource="statefulsets",operation="CREATE",decision="patched"}'] == 61


def test_an_api_server_that_does_not_shake_hands_costs_only_the_advice(api, advised):
    server = advised()
    api.set_mute(True)
    assert warnings(server.review(member())) == []
    assert server.metrics()["advice_late_total"] == 1
    api.set_mute(False)


def test_an_api_server_that_is_gone_costs_the_advice_until_it_is_back(api, server):
    assert len(warnings(server.review(review()))) == 1
    api.stop()
    for _ in range(3):
        assert warnings(server.review(review())) == []
    api.start()
    assert len(warnings(server.review(review()))) == 1


@pytest.mark.parametrize("code", [400, 404, 409, 429, 500, 503])
def test_an_error_is_not_a_missing_object(api, server, code):
    with api.say(b"default backend - 404", code, "text/plain", where=is_advice):
        assert warnings(server.review(member())) == []
    assert server.metrics()['advice_lookups_total{result="unknown"}'] == 2
    assert server.metrics()["advice_late_total"] == 0
    assert server.events(OFF) == []


@pytest.mark.parametrize("body", [b"", b"no JSON", b"[]", b'{"kind":"Status"}', b'{"kind":"Service","x":"\xff"}',
                                  b'{"kind":"Service","spec":' + b"[" * 5000])
def test_an_answer_that_is_not_such_an_object_gives_no_advice(api, server, body):
    with api.say(body, where=is_advice):
        assert warnings(server.review(review())) == []


def test_an_object_that_is_too_large_is_skipped(api, server):
    api.place(SERVICE, "ml", "trainer", metadata={"annotations": {"x": "x" * 300 * 1024}}, spec={})
    assert warnings(server.review(review())) == []
    assert server.metrics()['advice_lookups_total{result="unknown"}'] == 1


def test_objects_that_need_more_memory_than_a_review_may_use_are_skipped(api, advised):
    server = advised(*PATIENT, "--memory", "16Mi")
    before = server.metrics()["memory_used_bytes"]
    line = ",".join(f"worker=m-{i}:1" for i in range(16))
    for i in range(16):
        api.place(STATEFUL_SET, "ml", f"m-{i}", spec={"x": [[]] * 60000})  # 240 KiB each, thirty-fold when parsed
    for _ in range(3):
        assert warnings(server.review(member("m-0", line=line))) == []
    assert server.metrics()['advice_lookups_total{result="found"}'] == 45
    eventually(lambda: server.metrics()["memory_used_bytes"] <= before + 4096, "its memory is given back")


def test_pods_are_answered_while_stage_one_waits(api, advised):
    server = advised(*PATIENT, "--threads", "1")
    with api.hang(where=is_advice):
        asking = Asking(server, review())
        api.wait_for(is_advice)
        for _ in range(3):
            assert server.review(pod_review()).json["allowed"] is True
        server.wait_for_metric("admission_in_flight", 1)
        assert asking.answer is None
    assert len(warnings(asking.result())) == 1


def test_many_at_once_each_get_their_own_answer(api, advised):
    server = advised(*PATIENT)
    names = [f"trainer-{i}" for i in range(40)]
    with api.hang(where=is_advice):
        asking = [Asking(server, review(name=name, uid=name, spec={"serviceName": name})) for name in names]
        eventually(lambda: server.metrics()["admission_in_flight"] == 40, "all wait")
    for name, one in zip(names, asking):
        answer = one.result()
        assert answer.json["uid"] == name
        assert warnings(answer) == [
            f"the pods find each other by a headless Service, which is missing: Service {name}"]


def test_if_too_many_wait_the_rest_continue_without_advice(api, advised):
    server = advised(*PATIENT)
    with api.hang(where=is_advice):
        asking = [Asking(server, review(uid=str(i))) for i in range(64 + 10)]
        eventually(lambda: server.metrics()["admission_in_flight"] == 64, "as many wait as may")
        eventually(lambda: sum(one.answer is not None for one in asking) == 10, "the others are answered")
    counts = [len(warnings(one.result())) for one in asking]
    assert sorted(counts) == 10 * [0] + 64 * [1]


@pytest.mark.parametrize("send", [post, post_chunked])
def test_requests_over_one_connection_wait_one_after_the_other(server, send):
    with server.tls() as sock:
        for i in range(5):
            sock.sendall(send(review(uid=f"a{i}")) + send(pod_review(uid=f"b{i}")))
            assert len(warnings(read_answer(sock))) == 1
            answer = read_answer(sock)
            assert (answer.json["uid"], warnings(answer)) == (f"b{i}", [])


def test_a_client_that_goes_away_meanwhile_leaves_nothing_open(api, advised):
    server = advised(*PATIENT)
    server.review(review())
    before = server.wait_for_metric("connections", 0) and server.metrics()["memory_used_bytes"]
    with api.hang(where=is_advice):
        for i in range(10):
            with server.tls() as sock:
                sock.sendall(post(review(uid=str(i))))
                eventually(lambda: server.metrics()["admission_in_flight"] == i + 1, "it waits")
    server.wait_for_metric("admission_in_flight", 0)
    server.wait_for_metric("connections", 0)
    assert server.metrics()["memory_used_bytes"] <= before
    assert len(warnings(server.review(review()))) == 1


def test_a_deadline_that_passes_meanwhile_closes_the_connection_cleanly(api, advised):
    server = advised(*PATIENT, "--request-timeout", "5s")
    with api.hang(where=is_advice):
        with server.tls() as sock:
            sock.sendall(post(review()))
            api.wait_for(is_advice)
            assert is_closed(sock)
        server.wait_for_metric("connections_timed_out_total", 1)
        assert server.metrics()["admission_in_flight"] == 1
    server.wait_for_metric("admission_in_flight", 0)
    assert len(warnings(server.review(review()))) == 1


def test_a_drain_waits_for_reviews_that_wait(api, advised):
    server = advised(*PATIENT)
    with api.hang(where=is_advice):
        asking = [Asking(server, review(uid=str(i))) for i in range(5)]
        eventually(lambda: server.metrics()["admission_in_flight"] == 5, "all wait")
        server.signal(signal.SIGTERM)
        server.wait_for_event("draining")
        assert server.process.poll() is None
    assert [len(warnings(one.result())) for one in asking] == 5 * [1]
    assert server.process.wait(PATIENCE) == 0


def test_a_stop_ends_reviews_that_wait_for_an_api_server_that_hangs(api, advised):
    server = advised(*PATIENT, "--request-timeout", "5s")
    with api.hang(where=is_advice) as fault:
        socks = [server.tls() for _ in range(5)]
        for sock in socks:
            sock.sendall(post(review()))
        eventually(lambda: server.metrics()["admission_in_flight"] == 5, "all wait")
        server.signal(signal.SIGTERM)
        assert server.process.wait(PATIENCE) == 0
        assert fault.hits == 1 and not fault.ended.is_set()
        for sock in socks:
            assert is_closed(sock)


def test_a_stop_amid_many_reviews_is_clean(advised):
    for _ in range(3):
        server = advised(*PATIENT, "--threads", "4")
        asking = [Asking(server, member(uid=str(i))) for i in range(16)]
        eventually(lambda: server.metrics()['advice_lookups_total{result="missing"}'] > 0, "it has begun")
        assert server.stop() == 0
        for one in asking:
            one.wait()  # it may have come too late


def test_a_server_whose_certificate_manages_itself_looks_objects_up_too(api, start):  # noqa: F811
    replica = start(*QUICK, *PATIENT).wait_until_ready()
    replica.leaf()
    assert replica.metrics()['advice_lookups_total{result="missing"}'] == 1


def test_a_server_outside_of_a_cluster_says_that_it_looks_nothing_up(serve):  # noqa: F811
    server = serve("--service-account", "/nowhere")
    assert warnings(server.review(review())) == []
    event = server.wait_for_event(NO_CLUSTER)
    assert event["level"] == "info" and "KUBERNETES_SERVICE_HOST" in event["message"]
    assert not any(name.startswith("advice_") for name in server.metrics())
