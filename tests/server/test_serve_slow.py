# SPDX-License-Identifier: Apache-2.0
"""Slow and silent clients: each ends in its time, and holds up nobody."""

import contextlib
import socket
import threading

import pytest
from server_harness import (is_closed, pair, pod_review, post, post_chunked, read_answer, serve)  # noqa: F401

TIMED_OUT = "connections_timed_out_total"


class Drip:
    """Sends a byte every now and then, and notes when the server has had enough."""

    def __init__(self, sock, data):
        self.sock = sock
        self.sent = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(data,))
        self._thread.start()

    def _run(self, data):
        with contextlib.suppress(OSError):
            for i in range(len(data)):
                self.sock.sendall(data[i:i + 1])
                self.sent += 1
                if self._ended.wait(0.1):
                    return

    def close(self):
        self._ended.set()
        self._thread.join()
        self.sock.close()


def start_slow(server, data, before=b""):
    sock = server.tls()
    if before:
        sock.sendall(before)
        assert read_answer(sock).status == 200
    return Drip(sock, data)


DRIPPING = {
    "body": post(b"x" * 5000),
    "chunks": post_chunked(b"x" * 5000, size=1),
    "head": b"POST /mutate HTTP/1.1\r\nHost: a\r\nX: " + b"x" * 5000,
    "first line": b"P" * 5000,
    "refused body": post(b"x" * 5000, path="/unknown"),
}


@pytest.mark.parametrize("before", [b"", post(pod_review())], ids=["first request", "second request"])
def test_dripping_clients_end_at_the_request_timeout(serve, before):
    server = serve("--request-timeout", "3s")
    clients = {name: start_slow(server, data, before) for name, data in DRIPPING.items()}
    server.wait_for_metric(TIMED_OUT, len(clients))
    for name, slow in clients.items():
        with contextlib.closing(slow):
            assert is_closed(slow.sock), name
        assert slow.sent < 300, name
    server.wait_for_metric("connections", 0)
    assert server.metrics()["admission_in_flight"] == 0
    assert server.metrics()["memory_used_bytes"] <= 64 * 1024 * 8  # the arenas' first blocks alone


@pytest.mark.parametrize("data", [b"", b"\x16", b"\x16\x03\x01\x02\x00\x01"])
def test_a_connection_that_does_not_finish_its_handshake_ends_at_the_request_timeout(serve, data):
    server = serve("--request-timeout", "3s")
    with server.tcp() as sock:
        sock.sendall(data)
        assert is_closed(sock)
    server.wait_for_metric("tls_handshake_failures_total", 1)
    assert server.metrics()[TIMED_OUT] == 1


def test_a_dripping_handshake_ends_at_the_request_timeout(serve):
    server = serve("--request-timeout", "3s")
    slow = Drip(server.tcp(), b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"x" * 400)
    with contextlib.closing(slow):
        server.wait_for_metric(TIMED_OUT, 1)
    assert slow.sent < 100


def test_slow_clients_hold_up_nobody(serve):
    server = serve("--request-timeout", "60s", "--threads", "1")
    slow = [start_slow(server, post(b"x" * 5000)) for _ in range(10)]
    silent = [server.tcp() for _ in range(10)]
    for _ in range(20):
        assert server.review(pod_review()).status == 200
    for drip in slow:
        drip.close()
    for sock in silent:
        sock.close()


def test_an_idle_connection_lives_beyond_the_request_timeout(serve):
    server = serve("--request-timeout", "3s")
    fresh = server.tls()  # clients open connections to spare and use them later
    used = server.tls()
    used.sendall(post(pod_review()))
    assert read_answer(used).status == 200
    slow = start_slow(server, b"P" * 5000)  # by its end a request timeout has passed
    with contextlib.closing(slow):
        server.wait_for_metric(TIMED_OUT, 1)
    for sock in (fresh, used):
        sock.sendall(post(pod_review()))
        assert read_answer(sock).status == 200
        sock.close()
    assert server.metrics()[TIMED_OUT] == 1


def test_an_idle_connection_ends_at_the_idle_timeout(serve):
    server = serve("--idle-timeout", "3s")
    with server.tls() as sock:
        sock.sendall(post(pod_review()))
        assert read_answer(sock).status == 200
        assert is_closed(sock)
    server.wait_for_metric("connections", 0)


def test_a_client_that_does_not_read_its_answers_ends_at_the_request_timeout(serve):
    server = serve("--request-timeout", "3s")
    sock = server.tls()
    with pytest.raises(OSError):  # once both directions are full
        while True:
            sock.sendall(post(pod_review(), path="/unknown"))
    server.wait_for_metric(TIMED_OUT, 1)
    server.wait_for_metric("connections", 0)
    sock.close()
    assert server.review(pod_review()).status == 200


def test_slow_clients_of_the_plain_port_end_too(serve):
    server = serve("--request-timeout", "3s")
    silent = [socket.create_connection(("127.0.0.1", server.metrics_port)) for _ in range(40)]
    slow = Drip(socket.create_connection(("127.0.0.1", server.metrics_port)), b"GET /" + b"x" * 5000)
    with contextlib.closing(slow):
        assert server.page("/healthz").status == 200
        assert all(is_closed(sock) for sock in silent)
        assert is_closed(slow.sock)
    assert server.metrics()[TIMED_OUT] == 41
    for sock in silent:
        sock.close()


def test_at_the_connection_limit_others_wait_and_then_get_their_turn(serve):
    server = serve("--max-connections", "2", "--threads", "1", "--request-timeout", "20s")
    silent = [server.tcp() for _ in range(6)]
    assert server.review(pod_review()).status == 200
    for sock in silent:
        sock.close()


def test_a_silent_server_takes_no_cpu(serve):
    server = serve("--request-timeout", "3s", "--reload-interval", "1s")
    connections = [server.tls() for _ in range(5)]
    for sock in connections:
        sock.sendall(post(pod_review()))
        assert read_answer(sock).status == 200
    before = server.cpu_seconds()
    with server.tcp() as silent:
        assert is_closed(silent)  # three seconds, as the server counts them
    # A loop that never sleeps would take all of them.
    assert server.cpu_seconds() - before < 0.5
    for sock in connections:
        sock.close()
