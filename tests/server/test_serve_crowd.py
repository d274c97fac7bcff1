# SPDX-License-Identifier: Apache-2.0
"""Many connections at once: who asks finds a place, whoever else holds most of them, and memory keeps its bound."""

import contextlib
import os
import pathlib
import re
import resource
import signal
import socket
import ssl
import subprocess

import pytest
from server_harness import (MAX_BODY, MIB, NO_CLUSTER, PATIENCE, SANITIZED, eventually, is_closed, pair,  # noqa: F401
                            pod_review, post, read_answer, serve)

DEPLOYMENT = pathlib.Path(__file__).resolve().parents[2] / "manifests/base/deployment.yaml"
POD_MEMORY = int(re.search(r"limits:\n +memory: (\d+)Mi\n", DEPLOYMENT.read_text())[1]) * MIB
EVICTED = "connections_evicted_total"


def ask(sock):
    sock.sendall(post(pod_review()))
    return read_answer(sock).status


# 16 places, two of which are kept for newcomers.
CROWD = ["--threads", "2", "--max-connections", "16", "--request-timeout", "600s", "--idle-timeout", "600s"]


def test_connections_that_never_ask_make_room_for_one_that_does(serve):
    server = serve(*CROWD)
    used = server.tls()
    assert ask(used) == 200
    silent = [server.tls() for _ in range(40)]
    assert server.review(pod_review()).status == 200
    assert ask(used) == 200
    assert server.metrics()[EVICTED] >= 40 - 16
    eventually(lambda: server.metrics()["connections"] <= 14, "the places for newcomers are free")
    for sock in (used, *silent):
        sock.close()


@pytest.mark.parametrize("crowd", ["tcp", "tls"])
def test_who_has_asked_is_not_driven_out_by_a_crowd_that_never_does(serve, crowd):
    server = serve(*CROWD)
    used = [server.tls() for _ in range(4)]
    for sock in used:
        assert ask(sock) == 200
    silent = [getattr(server, crowd)() for _ in range(60)]
    eventually(lambda: server.metrics()[EVICTED] >= 60 - 16, "the crowd makes room for itself")
    for sock in used:
        assert ask(sock) == 200
    assert server.review(pod_review()).status == 200
    for sock in (*used, *silent):
        sock.close()


def test_a_spare_connection_is_not_driven_out_by_a_crowd_that_never_greets(serve):
    """An HTTP client opens one, finds another free meanwhile, and keeps the new one for the next request."""
    server = serve(*CROWD)
    spare = [server.tls() for _ in range(2)]
    silent = [server.tcp() for _ in range(60)]
    eventually(lambda: server.metrics()[EVICTED] >= 60 - 16, "the crowd makes room for itself")
    for sock in spare:
        assert ask(sock) == 200
    for sock in (*spare, *silent):
        sock.close()


class SlowHandshake:
    """A TLS client whose last message, after which it takes the connection for open, is still on its way."""

    def __init__(self, server):
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = server.context().wrap_bio(self._incoming, self._outgoing, server_hostname="localhost")
        self._sock = server.tcp()
        while not self._is_done():
            self._sock.sendall(self._outgoing.read())
            self._incoming.write(self._sock.recv(65536))

    def _is_done(self):
        with contextlib.suppress(ssl.SSLWantReadError):
            self._tls.do_handshake()
            return True
        return False

    def ask(self):
        self._tls.write(post(pod_review()))
        self._sock.sendall(self._outgoing.read())
        while True:
            with contextlib.suppress(ssl.SSLWantReadError):
                return self._tls.read(len("HTTP/1.1 200 OK"))
            received = self._sock.recv(65536)
            assert received, "it was driven out"
            self._incoming.write(received)

    def close(self):
        self._sock.close()


def test_a_client_that_takes_its_connection_for_open_is_not_driven_out_before_the_server_does(serve):
    """In TLS 1.3 a client is done with the handshake first. The server may be slow to read its last message."""
    server = serve(*CROWD)
    spare = [SlowHandshake(server) for _ in range(2)]
    silent = [server.tcp() for _ in range(60)]
    eventually(lambda: server.metrics()[EVICTED] >= 60 - 16, "the crowd makes room for itself")
    for client in spare:
        assert client.ask() == b"HTTP/1.1 200 OK"
    for sock in (*spare, *silent):
        sock.close()


def test_among_connections_that_asked_the_longest_idle_makes_room(serve):
    server = serve(*CROWD, "--threads", "1")  # one after the other, in the order of the requests
    used = [server.tls() for _ in range(14)]
    for sock in (*used, used[0]):
        assert ask(sock) == 200
    with server.tls() as newcomer:
        assert ask(newcomer) == 200
        assert is_closed(used[1])
        for sock in (used[0], *used[2:]):
            assert ask(sock) == 200
    assert server.metrics()[EVICTED] == 1
    for sock in used:
        sock.close()


def test_requests_under_way_are_not_cut_for_a_newcomer(serve):
    server = serve(*CROWD)
    busy = [server.tls() for _ in range(14)]
    for sock in busy:
        sock.sendall(post(pod_review())[:-1])
    eventually(lambda: server.metrics()["admission_in_flight"] == 14, "all are under way")
    assert server.review(pod_review()).status == 200
    for sock in busy:
        sock.sendall(post(pod_review())[-1:])
        assert read_answer(sock).status == 200
        sock.close()
    assert server.metrics()["connections_timed_out_total"] == 0


def test_while_most_places_are_at_work_the_time_for_it_is_a_tenth(serve):
    server = serve("--threads", "2", "--max-connections", "16", "--request-timeout", f"{PATIENCE + 10}s")
    busy = []

    def occupy():
        busy.append(server.tls())
        busy[-1].sendall(post(pod_review())[:-1])  # none finishes its request

    for _ in range(14):
        occupy()
    server.wait_for_metric("admission_in_flight", 14)  # one that has not asked yet would make room for the others
    for _ in range(2):
        occupy()
    assert server.review(pod_review()).status == 200
    assert server.metrics()["connections_timed_out_total"] >= 1
    for sock in busy:
        sock.close()


def test_a_few_connections_for_each_of_many_api_servers_are_kept(serve):
    server = serve("--request-timeout", "600s")
    context = server.context()
    kept = [server.tls(context=context) for _ in range(10 * 25)]
    for _ in range(2):
        for sock in kept:
            assert ask(sock) == 200
    assert server.metrics()[EVICTED] == 0
    for sock in kept:
        sock.close()


def test_silent_clients_of_the_plain_port_keep_no_probe_from_its_answer(serve):
    server = serve("--request-timeout", "600s")
    with contextlib.ExitStack() as held:
        for _ in range(10):
            for _ in range(60):
                held.enter_context(socket.create_connection(("127.0.0.1", server.metrics_port), PATIENCE))
            for path in ("/healthz", "/readyz"):
                assert server.page(path).status == 200
    assert server.metrics()[EVICTED] >= 9 * 60


def test_silent_clients_of_the_plain_port_do_not_hold_the_end(serve):
    server = serve("--request-timeout", "600s")
    with socket.create_connection(("127.0.0.1", server.metrics_port)) as silent:
        assert server.page("/healthz").status == 200  # comes after it
        server.signal(signal.SIGTERM)
        assert server.process.wait(PATIENCE) == 0
        assert is_closed(silent)
    server.stop()
    assert not server.events("requests were cut off at the end of the drain")


# Memory


def fill(sock):
    """Sends a part of a body, and of a TLS record behind it."""
    with contextlib.suppress(OSError):  # some had to make room
        sock.sendall(post(b" " * MAX_BODY)[:90 * 1024])
        with socket.socket(fileno=os.dup(sock.fileno())) as raw:
            raw.sendall(b"\x17\x03\x03\x41\x00" + b"x" * 0x40ff)


def hold_body(sock):
    """Sends all of the largest body but its last byte."""
    with contextlib.suppress(OSError):  # it may be refused before
        sock.sendall(post(b" " * MAX_BODY)[:-1])


@pytest.mark.skipif(SANITIZED, reason="a sanitizer takes memory of its own")
def test_with_its_defaults_all_that_clients_can_hold_fits_the_pod(serve):
    server = serve("--request-timeout", "3600s")  # of which a busy machine needs a tenth
    context = server.context()
    before = server.memory()
    for size in (90 * 1024, MAX_BODY - 1):
        with contextlib.ExitStack() as held:
            count = 576 if size < MIB else 16
            sockets = [held.enter_context(server.tls(context=context)) for _ in range(count)]
            for sock in sockets:
                with contextlib.suppress(OSError):
                    ask(sock)
            for sock in sockets:
                if size < MIB:
                    fill(sock)
                else:
                    hold_body(sock)

            def is_in_use():
                """Bodies that come side by side can all be refused: then there is room for one more."""
                if server.metrics()["memory_used_bytes"] > 26 * MIB:
                    return True
                if size > MIB:
                    hold_body(held.enter_context(server.tls(context=context)))
                return False

            eventually(is_in_use, "the budget is in use")
        server.wait_for_metric("connections", 0)
        assert server.memory() < before + 8 * MIB
    assert server.peak_memory() < POD_MEMORY


def test_connections_take_their_part_of_the_memory(serve):
    server = serve()
    before = server.metrics()["memory_used_bytes"]
    with contextlib.ExitStack() as held:
        for _ in range(10):
            held.enter_context(server.tls())
        assert server.metrics()["memory_used_bytes"] == before + 10 * 28 * 1024
    server.wait_for_metric("memory_used_bytes", before)


def test_a_connection_for_which_there_is_no_memory_is_closed_at_once(serve):
    server = serve("--memory", "16Mi", "--request-timeout", "600s", "--threads", "1")
    with contextlib.ExitStack() as held:
        for _ in range(2):
            sock = held.enter_context(server.tls())
            sock.sendall(post(b" " * MAX_BODY)[:-MIB])
        eventually(lambda: server.metrics()["memory_used_bytes"] > 14 * MIB, "both bodies are held")
        with pytest.raises(OSError):
            for _ in range(100):
                held.enter_context(server.tls())
        metrics = server.metrics()
        assert (metrics["connections_refused_total"], metrics["tls_handshake_failures_total"]) == (1, 0)
        assert metrics["memory_limit_bytes"] - metrics["memory_used_bytes"] < 28 * 1024
    server.wait_for_metric("connections", 0)
    assert server.review(pod_review()).status == 200


def test_connections_may_take_half_of_the_memory(serve):
    server = serve("--memory", "16Mi")
    event = server.wait_for_event("fewer connections than --max-connections")
    assert (event["level"], event["connections"]) == ("warning", 16 * MIB // 2 // (28 * 1024))
    assert "--memory" in event["reason"]
    assert server.events("serving")[0]["max_connections"] == event["connections"]


def test_with_the_defaults_there_are_as_many_connections_as_asked_for(serve):
    server = serve()
    assert server.events("serving")[0]["max_connections"] == 576
    assert [event["msg"] for event in server.events()] == [NO_CLUSTER, "serving"]


# Descriptors


def test_the_limit_of_open_files_is_raised_to_what_connections_need(serve):
    server = serve("--threads", "2", descriptors=(100, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    assert 576 + 64 < server.metrics()["process_max_fds"] < 1024
    assert server.events("serving")[0]["max_connections"] == 576


def test_where_it_cant_be_raised_there_are_fewer_connections_and_always_a_descriptor_for_one(serve):
    server = serve("--threads", "2", "--request-timeout", "600s", descriptors=(150, 150))
    event = server.wait_for_event("fewer connections than --max-connections")
    assert (event["level"], event["connections"]) == ("warning", 150 - 64 - 2 * 3 - 32)
    plain = [socket.create_connection(("127.0.0.1", server.metrics_port)) for _ in range(64)]
    silent = [server.tls() for _ in range(60)]
    assert server.review(pod_review()).status == 200
    assert server.page("/healthz").status == 200
    for sock in (*plain, *silent):
        sock.close()


def test_where_there_are_too_few_descriptors_it_does_not_start(pair, program):
    done = subprocess.run([program, "serve", *pair.flags(), "--listen", "127.0.0.1:0", "--metrics-listen",
                           "127.0.0.1:0", "--threads", "2"], capture_output=True, text=True, timeout=PATIENCE,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (103, 103)))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "tfconfig-webhook serve: the limit of 103 open files is too low: at least 104 are needed\n"
