# SPDX-License-Identifier: Apache-2.0
"""The end: not ready at once, serving on while others learn of it, and no request lost."""

import contextlib
import os
import signal
import time

import pytest
from server_harness import (PATIENCE, Load, eventually, is_closed, pair, pod_review, post, read_answer, serve,  # noqa: F401
                            server)


@pytest.mark.parametrize("number, name", [(signal.SIGTERM, "SIGTERM"), (signal.SIGINT, "SIGINT")])
def test_a_signal_ends_it_with_exit_0_and_a_flushed_log(server, number, name):
    for i in range(20):
        server.review(pod_review(uid=f"flushed-{i}"))
    server.signal(number)
    assert server.process.wait(PATIENCE) == 0
    server.stop()
    assert len(server.events("review")) == 20
    assert server.events()[-2]["signal"] == name
    assert server.events()[-1]["msg"] == "stopped"


def test_while_draining_it_is_not_ready_but_alive_and_answers_close_their_connection(serve):
    server = serve("--drain", "60s")
    kept = server.tls()
    kept.sendall(post(pod_review()))
    assert read_answer(kept).headers["Connection"] is None
    assert server.page("/readyz").status == 200
    server.signal(signal.SIGTERM)
    answer = eventually(lambda: (page := server.page("/readyz")).status == 503 and page, "not ready")
    assert answer.body == b"the server is about to stop\n"
    assert server.page("/healthz").status == 200
    for sock in (kept, server.tls()):
        sock.sendall(post(pod_review()))
        answer = read_answer(sock)
        assert (answer.status, answer.headers["Connection"]) == (200, "close")
        assert is_closed(sock)
    refused = server.exchange(post(b""))
    assert (refused.status, refused.headers["Connection"]) == (400, "close")
    assert server.process.poll() is None
    server.signal(signal.SIGTERM)  # a second one ends the drain early
    assert server.process.wait(PATIENCE) == 0


def test_the_drain_lasts_its_time_and_loses_no_request_under_load(serve):
    server = serve("--drain", "2s")
    load = Load(server)
    load.wait_for_answers(50)
    begin = time.monotonic()
    server.signal(signal.SIGTERM)
    answered = load.answered
    assert server.process.wait(PATIENCE) == 0
    assert time.monotonic() - begin >= 2
    load.join()
    assert load.failures == []
    assert load.answered > answered
    assert load.closing > 0


def test_what_is_in_flight_at_the_end_of_the_drain_is_finished(serve):
    server = serve("--request-timeout", "60s")
    request = post(pod_review(uid="in flight"))
    with server.tls() as head_only, server.tls() as half:
        head_only.sendall(request[:30])
        half.sendall(request[:-10])
        eventually(lambda: server.metrics()["admission_in_flight"] == 1, "one is in flight")
        server.signal(signal.SIGTERM)
        server.wait_for_event("draining")
        with contextlib.suppress(OSError):  # new connections are turned away from now on
            while True:
                server.review(pod_review())
        for sock, rest in ((half, request[-10:]), (head_only, request[30:])):
            sock.sendall(rest)
            assert read_answer(sock).json["uid"] == "in flight"
    assert server.process.wait(PATIENCE) == 0


def test_what_never_finishes_does_not_hold_the_end_beyond_the_request_timeout(serve):
    server = serve("--request-timeout", "3s")
    with server.tls() as sock:
        sock.sendall(post(pod_review())[:-10])
        eventually(lambda: server.metrics()["admission_in_flight"] == 1, "one is in flight")
        server.signal(signal.SIGTERM)
        assert server.process.wait(PATIENCE) == 0


def test_idle_connections_do_not_hold_the_end(serve):
    server = serve("--request-timeout", "60s")
    idle = [server.tls() for _ in range(5)]
    for sock in idle:
        sock.sendall(post(pod_review()))
        assert read_answer(sock).status == 200
    server.signal(signal.SIGTERM)
    assert server.process.wait(20) == 0
    for sock in idle:
        assert is_closed(sock)


def test_a_thread_without_a_free_place_ends_at_once_too(serve):
    server = serve("--threads", "2", "--max-connections", "4", "--idle-timeout", "3600s")
    idle = [server.tls() for _ in range(3)]  # two places a thread: one of them is full
    for sock in idle:
        sock.sendall(post(pod_review()))
        assert read_answer(sock).status == 200
    server.signal(signal.SIGTERM)
    assert server.process.wait(PATIENCE) == 0
    for sock in idle:
        assert is_closed(sock)


def test_the_certificate_is_reloaded_while_draining_too(serve):
    server = serve("--drain", "60s")
    server.signal(signal.SIGTERM)
    server.wait_for_event("draining")
    server.signal(signal.SIGHUP)
    server.wait_for_event("certificate reloaded")
    assert server.process.poll() is None
    server.signal(signal.SIGINT)
    assert server.process.wait(PATIENCE) == 0


def test_signals_that_come_in_bursts_are_survived(server):
    for _ in range(200):
        os.kill(server.process.pid, signal.SIGHUP)
    assert server.review(pod_review()).status == 200


def test_a_reader_of_the_log_that_went_away_is_no_reason_to_end(serve):
    server = serve(read_log=False)
    server.process.stdout.close()
    for _ in range(20):
        assert server.review(pod_review()).status == 200
    eventually(lambda: server.metrics()["log_lines_dropped_total"] >= 20, "lost lines are counted")
