# SPDX-License-Identifier: Apache-2.0
"""One number bounds what requests can make the process hold; who finds it in use is told to come back."""

import concurrent.futures
import contextlib
import resource

import process_status
import pytest
from server_harness import (MAX_BODY, MIB, SANITIZED, eventually, padded, pair, pod_review, post,  # noqa: F401
                            read_answer, serve)

REFUSED = 'admission_requests_total{resource="other",operation="other",decision="refused"}'

HOSTILE = {
    "nested arrays": b"[" * MAX_BODY,
    "zeros": b"[0," * (MAX_BODY // 3),
    "flat arrays": b"[" + b"[]," * (MAX_BODY // 3 - 1),
    "objects": b'{"a":' * (MAX_BODY // 5),
    "keys": b"{" + b'"a":0,' * (MAX_BODY // 6 - 1),
    "a string without end": b'"' + b"a" * (MAX_BODY - 1),
    "escapes": b'"' + b"\\u0061" * (MAX_BODY // 6 - 1) + b'"',
    "no JSON": b"\xff" * MAX_BODY,
}


def at_rest(server):
    """Memory of the budget that is in use while nothing is asked: the arenas' first blocks."""
    return server.metrics()["memory_used_bytes"]


@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE.keys())
def test_seven_mib_of_hostile_json_are_refused_and_leave_nothing(serve, body):
    server = serve()
    before = at_rest(server)
    for _ in range(2):
        assert server.review(body).status in (400, 413)
    assert server.review(pod_review()).status == 200
    server.wait_for_metric("memory_used_bytes", before)


def status_or_refused(server, body):
    """The answer's status, None where there was no memory for the connection."""
    try:
        sock = server.tls()
    except OSError:
        return None
    with sock:
        sock.sendall(post(body))
        return read_answer(sock).status


@pytest.mark.skipif(SANITIZED, reason="a sanitizer keeps freed memory")
def test_a_storm_of_hostile_bodies_leaves_the_memory_flat(serve):
    server = serve("--threads", "4")
    server.review(pod_review())
    before = server.memory()
    peak = 0
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        for status in pool.map(lambda body: status_or_refused(server, body), list(HOSTILE.values()) * 6):
            assert status in (400, 413, 503, None)
            peak = max(peak, server.memory())
    assert peak < before + 32 * MIB + 8 * MIB  # the budget, and the library's own buffers
    server.wait_for_metric("connections", 0)
    assert server.memory() < before + 6 * MIB
    assert server.review(pod_review()).status == 200


def hold(server, size):
    """A connection that has sent so much of a body and keeps the rest."""
    sock = server.tls()
    sock.sendall(post(b" " * MAX_BODY)[:-(MAX_BODY - size)])
    return sock


def test_a_full_budget_is_503_with_retry_after_and_recovers(serve):
    server = serve("--memory", "16Mi", "--request-timeout", "60s")
    before = at_rest(server)
    with contextlib.ExitStack() as held:
        holders = [held.enter_context(hold(server, 6 * MIB)) for _ in range(2)]
        eventually(lambda: at_rest(server) >= 12 * MIB, "both bodies are held")
        answer = server.review(padded(pod_review(), 6 * MIB))
        assert (answer.status, answer.headers["Retry-After"]) == (503, "1")
        assert server.review(pod_review()).status == 200  # a usual one still fits
        for sock in holders:
            sock.sendall(b" " * MIB)
            assert read_answer(sock).status == 400
    server.wait_for_metric("memory_used_bytes", before)
    assert server.review(padded(pod_review(), 6 * MIB)).status == 200
    assert server.metrics()['http_errors_total{code="503"}'] == 1
    assert server.metrics()[REFUSED] == 2  # the bodies that are no review


def test_a_review_without_memory_is_503_and_no_decision(serve):
    server = serve("--memory", "16Mi", "--request-timeout", "60s")
    with hold(server, 6 * MIB), hold(server, 6 * MIB):
        eventually(lambda: at_rest(server) >= 12 * MIB, "both bodies are held")
        answer = server.review(b"[" + b"0," * (MIB // 8) + b"0]")
        assert (answer.status, answer.headers["Retry-After"]) == (503, "1")
    metrics = server.metrics()
    assert (metrics['http_errors_total{code="503"}'], metrics[REFUSED]) == (1, 0)


def test_a_client_that_goes_away_gives_its_memory_back(serve):
    server = serve("--memory", "16Mi")
    before = at_rest(server)
    sock = hold(server, 6 * MIB)
    eventually(lambda: at_rest(server) >= 6 * MIB, "the body is held")
    sock.close()
    server.wait_for_metric("memory_used_bytes", before)


def test_what_is_announced_and_not_sent_takes_no_memory(serve):
    server = serve("--memory", "16Mi", "--request-timeout", "60s")
    with contextlib.ExitStack() as held:
        for _ in range(50):
            held.enter_context(hold(server, 10))
        eventually(lambda: server.metrics()["admission_in_flight"] == 50, "all are in flight")
        assert server.metrics()["memory_used_bytes"] < MIB + 50 * (28 + 16) * 1024  # connections, first capacities
        assert server.review(pod_review()).status == 200


def limit(server, what, value):
    """Sets a soft limit of the running server and returns the one before."""
    soft, hard = resource.prlimit(server.process.pid, what)
    resource.prlimit(server.process.pid, what, (value, hard))
    return soft


@pytest.mark.skipif(SANITIZED, reason="a sanitizer does not live with less memory")
def test_a_system_without_memory_is_503_and_the_process_lives(serve):
    server = serve()
    assert server.review(pod_review()).status == 200
    used = process_status.memory(server.process.pid, "VmData")
    before = limit(server, resource.RLIMIT_DATA, used + 3 * MIB)
    for _ in range(3):
        answer = server.review(padded(pod_review(), MAX_BODY))
        assert (answer.status, answer.headers["Retry-After"]) == (503, "1")
        assert server.review(pod_review()).status == 200
    limit(server, resource.RLIMIT_DATA, before)
    assert server.review(padded(pod_review(), MAX_BODY)).status == 200


def test_a_system_without_descriptors_takes_connections_again_when_there_are_some(serve):
    server = serve("--request-timeout", "3s")
    few = int(server.metrics()["process_open_fds"]) + 4
    before = limit(server, resource.RLIMIT_NOFILE, few)
    silent = [server.tcp() for _ in range(20)]
    for sock in silent:
        sock.close()
    assert server.review(pod_review()).status == 200
    limit(server, resource.RLIMIT_NOFILE, before)
    assert server.review(pod_review()).status == 200


def test_the_limit_is_told(serve):
    assert serve("--memory", "20Mi").metrics()["memory_limit_bytes"] == 20 * MIB


def test_many_bodies_of_seven_mib_at_once_are_answered_or_told_to_come_back(serve):
    server = serve()
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        statuses = list(pool.map(lambda _: status_or_refused(server, padded(pod_review(), MAX_BODY)), range(48)))
    assert set(statuses) <= {200, 503, None} and 200 in statuses
    server.wait_for_metric("connections", 0)
    assert server.metrics()["connections_refused_total"] == statuses.count(None)
    assert server.review(padded(pod_review(), MAX_BODY)).status == 200
