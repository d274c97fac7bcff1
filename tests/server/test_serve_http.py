# SPDX-License-Identifier: Apache-2.0
"""The HTTP rules of the TLS port: what is answered, with which status, and what a connection survives."""

import http.client
import json
import re
import socket
import statistics
import struct
import time

import pytest
from server_harness import (MAX_BODY, MIB, eventually, is_closed, padded, pair, pod_review, post,  # noqa: F401
                            post_chunked, read_answer, serve, server, stateful_set_review)


def test_an_answer_is_200_json_and_echoes_the_uid(server):
    answer = server.review(pod_review(uid="the-very-uid"))
    assert answer.status == 200
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.json == {"uid": "the-very-uid", "allowed": True}


def test_a_denial_is_200_too(server):
    answer = server.review(stateful_set_review("maybe"))
    assert answer.status == 200
    assert answer.json["allowed"] is False
    assert answer.json["status"]["code"] == 422


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_another_method_than_post_is_405_and_names_post(server, method):
    with server.tls() as sock:
        sock.sendall(post(b"").replace(b"POST", method.encode(), 1))
        head = sock.recv(65536)
    assert head.startswith(b"HTTP/1.1 405 ")
    assert b"\r\nAllow: POST\r\n" in head


@pytest.mark.parametrize("path", ["/", "/mutate/", "/mutates", "/healthz", "/metrics", "//mutate"])
def test_an_unknown_path_is_404(server, path):
    assert server.exchange(post(pod_review(), path=path)).status == 404


@pytest.mark.parametrize("query", ["", "?timeout=10s", "?timeout=1m0s", "?timeout=", "?timeout=%ff%00", "?&&==;"])
def test_the_query_never_matters(server, query):
    assert server.exchange(post(pod_review(), path="/mutate" + query)).status == 200


@pytest.mark.parametrize("media_type", ["application/json", "application/json; charset=utf-8",
                                        "Application/JSON;charset=UTF-8", "application/json ;q=1"])
def test_json_may_have_parameters_and_any_case(server, media_type):
    assert server.exchange(post(pod_review(), headers=[("Content-Type", media_type)])).status == 200


@pytest.mark.parametrize("headers", [[], [("Content-Type", "")], [("Content-Type", "text/plain")],
                                     [("Content-Type", "application/jsonx")], [("Content-Type", "application/yaml")]])
def test_another_media_type_or_none_is_415(server, headers):
    assert server.exchange(post(pod_review(), headers=headers)).status == 415


@pytest.mark.parametrize("frame", [post, post_chunked])
def test_an_empty_body_is_400(server, frame):
    answer = server.exchange(frame(b""))
    assert (answer.status, answer.body) == (400, b"the body is empty\n")


@pytest.mark.parametrize("body", [b"{", b"null", b"[]", b"{}", b"\xff\xfe", b"\0", b'{"request":{}}', b"x" * 100000])
def test_what_is_no_review_is_400(server, body):
    assert server.review(body).status == 400


@pytest.mark.parametrize("frame", [post, post_chunked])
def test_seven_mib_are_accepted(server, frame):
    assert server.exchange(frame(padded(pod_review(), MAX_BODY))).status == 200


@pytest.mark.parametrize("frame", [post, post_chunked])
@pytest.mark.parametrize("size", [MAX_BODY + 1, 2 * MAX_BODY])
def test_more_than_seven_mib_are_413_and_the_client_sees_it(server, frame, size):
    for _ in range(5):  # an answer that comes before the body is read is lost about half of the time
        assert server.exchange(frame(padded(pod_review(), size))).status == 413


def test_a_body_that_is_announced_beyond_all_bounds_is_413_at_once(server):
    head = post(b"").replace(b"Content-Length: 0", b"Content-Length: 99999999999")
    assert server.exchange(head).status == 413


def test_a_refused_chunked_body_is_not_read_for_ever(server):
    with server.tls() as sock:
        sock.sendall(post_chunked(b"").removesuffix(b"0\r\n\r\n"))
        with pytest.raises(OSError):
            for _ in range(64):
                sock.sendall(b"100000\r\n" + b" " * MIB + b"\r\n")
            sock.recv(1)
    server.wait_for_metric('http_errors_total{code="413"}', 1)


def test_a_client_that_waits_for_100_continue_gets_it(server):
    request = post(pod_review(), headers=[("Content-Type", "application/json"), ("Expect", "100-continue")])
    head, _, body = request.partition(b"\r\n\r\n")
    with server.tls() as sock:
        sock.sendall(head + b"\r\n\r\n")
        assert sock.recv(65536) == b"HTTP/1.1 100 Continue\r\n\r\n"
        sock.sendall(body)
        assert read_answer(sock).status == 200


@pytest.mark.parametrize("change, status", [((b"/mutate", b"/nowhere"), 404), ((b"POST", b"PUT"), 405),
                                            ((b"application/json", b"text/plain"), 415),
                                            ((b"Content-Length: 1", b"Content-Length: 7340033"), 413)])
def test_a_client_that_expects_100_continue_sees_its_refusal_whether_it_waits_or_not(server, change, status):
    request = post(b" ", headers=[("Content-Type", "application/json"), ("Expect", "100-continue")])
    head = request.replace(*change, 1).removesuffix(b" ")
    body = b" " * int(re.search(rb"Content-Length: (\d+)", head)[1])
    with server.tls() as sock:
        sock.sendall(head)
        assert sock.recv(65536) == b"HTTP/1.1 100 Continue\r\n\r\n"
        sock.sendall(body)
        assert read_answer(sock).status == status
    for _ in range(20):  # an answer that comes before the body is read is lost now and then
        with server.tls() as sock:
            sock.sendall(head + body)
            assert read_answer(sock).status == status


@pytest.mark.parametrize("encoding", ["gzip", "gzip, chunked", "identity", "xchunked"])
def test_a_transfer_encoding_other_than_chunked_is_refused(server, encoding):
    request = post_chunked(b"{}").replace(b"Encoding: chunked", b"Encoding: " + encoding.encode())
    assert server.exchange(request).status == 501


@pytest.mark.parametrize(("line", "status"), [(b"GET /mutate", 405), (b"PUT /mutate", 405), (b"POST /x", 404)])
def test_an_endless_body_keeps_no_refusal_waiting(server, line, status):
    head = line + b" HTTP/1.1\r\nHost: webhook\r\nTransfer-Encoding: gzip\r\n\r\n"
    assert server.exchange(head).status == status


def test_chunked_may_be_written_in_any_case(server):
    request = post_chunked(pod_review(), size=100).replace(b"Encoding: chunked", b"Encoding: Chunked")
    assert server.exchange(request).status == 200


def test_a_connection_is_kept_for_many_requests(server):
    with server.tls() as sock:
        for i in range(50):
            sock.sendall(post(pod_review(uid=f"request-{i}")))
            answer = read_answer(sock)
            assert answer.json["uid"] == f"request-{i}"
            assert answer.headers["Connection"] is None
    assert server.metrics()['admission_requests_total{resource="pods",operation="CREATE",decision="allowed"}'] == 50


@pytest.mark.parametrize("request_bytes, status", [
    (post(b"x", path="/nowhere"), 404), (post(b"x", headers=[]), 415), (post(b""), 400), (post(b"{"), 400),
    (post(padded(b"{}", MAX_BODY + 1)), 413), (post(b"").replace(b"POST", b"GET"), 405)])
def test_a_connection_survives_a_refused_request(server, request_bytes, status):
    with server.tls() as sock:
        for _ in range(3):
            sock.sendall(request_bytes)
            assert read_answer(sock).status == status
            sock.sendall(post(pod_review()))
            assert read_answer(sock).status == 200


def test_pipelined_requests_are_answered_in_their_order(server):
    with server.tls() as sock:
        sock.sendall(b"".join(post(pod_review(uid=f"piped-{i}")) for i in range(20)))
        stream = sock.makefile("rb")
        for i in range(20):
            head = b""
            while not head.endswith(b"\r\n\r\n"):
                head += stream.read(1)
            length = next(int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.startswith(b"Content-Length"))
            assert json.loads(stream.read(length))["response"]["uid"] == f"piped-{i}"


def test_connection_close_is_honoured(server):
    with server.tls() as sock:
        sock.sendall(post(pod_review(), headers=[("Content-Type", "application/json"), ("Connection", "close")]))
        answer = read_answer(sock)
        assert (answer.status, answer.headers["Connection"]) == (200, "close")
        assert is_closed(sock)


@pytest.mark.parametrize("garbage, code", [
    (b"POST /mutate HTTP/1.1\r\n\r\n", 400),  # no Host
    (b"POST /mutate HTTP/1.1\r\nHost: a\r\nContent-Length: 1x\r\n\r\n", 400),
    (b"POST /mutate HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999999\r\n\r\n", 413),
    (post_chunked(b"").replace(b"0\r\n\r\n", b"zz\r\n"), 400),
    (b"POST /mutate HTTP/2.0\r\nHost: a\r\n\r\n", 505),
    (b"POST /" + b"a" * 40000 + b" HTTP/1.1\r\nHost: a\r\n\r\n", 414),
    (b"POST /mutate HTTP/1.1\r\nHost: a\r\nX: " + b"a" * 40000 + b"\r\n\r\n", 431)])
def test_malformed_http_is_answered_and_counted_by_its_code(server, garbage, code):
    assert server.exchange(garbage).status == code
    server.wait_for_metric(f'http_errors_total{{code="{code}"}}', 1)
    assert server.review(pod_review()).status == 200


@pytest.mark.parametrize("garbage", [b"\0" * 1000, b"\r\n" * 1000, b"NONSENSE\r\n\r\n", b"GET\r\n\r\n", b"\x16\x03" * 99])
def test_bytes_that_are_no_http_harm_nobody(server, garbage):
    with server.tls() as sock:
        sock.sendall(garbage)
    assert server.review(pod_review()).status == 200


def test_an_error_is_one_short_line_of_plain_text(server):
    for request in (post(b"", path="/x"), post(b"{}", headers=[]), post(b""), post(b"").replace(b"POST", b"PUT")):
        answer = server.exchange(request)
        assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
        assert 10 < len(answer.body) < 120 and answer.body.count(b"\n") == 1 and answer.body.endswith(b"\n")


def test_a_refusal_is_counted_when_it_is_answered(server):
    request = post(b"{}", path="/x")
    with server.tls() as sock:
        sock.sendall(request[:-1])
        eventually(lambda: server.metrics()["admission_in_flight"] == 1, "it is under way")
        assert server.metrics()['http_errors_total{code="404"}'] == 0
        sock.sendall(request[-1:])
        assert read_answer(sock).status == 404
    assert server.metrics()['http_errors_total{code="404"}'] == 1


def test_refusals_are_counted_by_code(server):
    for request in (post(b"", path="/x"), post(b"{}", headers=[]), post(b"{}", headers=[]), post(b"")):
        server.exchange(request)
    metrics = server.metrics()
    assert [metrics[f'http_errors_total{{code="{code}"}}'] for code in (404, 415, 400)] == [1, 2, 1]


def segments_received(sock):
    """TCP segments with data in them so far: tcpi_data_segs_in of Linux's struct tcp_info."""
    return struct.unpack_from("I", sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 160), 152)[0]


def test_the_head_of_an_answer_and_its_body_travel_together(server):
    request = post(pod_review(uid="x" * 3000))
    with server.tls() as sock:
        sock.sendall(request)
        read_answer(sock)
        before = segments_received(sock)
        for _ in range(5):
            sock.sendall(request)
            assert read_answer(sock).status == 200
        assert segments_received(sock) - before == 5


def test_an_answer_without_a_body_waits_for_none(server):
    """Where more is announced and does not come, the kernel waits for a fifth of a second."""
    request = post(pod_review(uid="x" * 3000))
    times = {"POST": [], "HEAD": []}
    with server.tls() as sock:
        for method in ["POST", "HEAD"] * 7:
            begin = time.monotonic()
            sock.sendall(request.replace(b"POST", method.encode()))
            response = http.client.HTTPResponse(sock, method=method)
            response.begin()
            response.read()
            times[method].append(time.monotonic() - begin)
    assert statistics.median(times["HEAD"]) < 50 * statistics.median(times["POST"])
