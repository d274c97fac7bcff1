# SPDX-License-Identifier: Apache-2.0
"""The log: what a line holds, and what it never does."""

import datetime
import json
import time

import pytest
from server_harness import (PATIENCE, pair, pod_review, post, read_answer, serve, server,  # noqa: F401
                            stateful_set_review)

FIELDS = ["time", "level", "msg", "uid", "namespace", "resource", "name", "operation", "decision", "code", "role",
          "index", "message", "duration_us"]


def test_a_decision_is_one_line_with_these_fields_in_this_order(server):
    server.review(pod_review(uid="logged", name="web-0"))
    event = server.wait_for_event("review")
    assert list(event) == FIELDS
    assert datetime.datetime.fromisoformat(event["time"]).utcoffset() == datetime.timedelta(0)
    assert event["time"].endswith("Z")
    assert 0 < event["duration_us"] < PATIENCE * 1000000
    expected = {"level": "info", "uid": "logged", "namespace": "ml", "resource": "pods", "name": "web-0",
                "operation": "CREATE", "decision": "allowed", "code": 200, "role": "", "index": -1, "message": ""}
    assert {name: event[name] for name in expected} == expected


def test_a_denial_is_told_at_info_with_its_message(server):
    answer = server.review(stateful_set_review("maybe"))
    event = server.wait_for_event("review")
    assert (event["level"], event["decision"], event["code"]) == ("info", "denied", 422)
    assert event["message"] == answer.json["status"]["message"]
    assert event["resource"] == "statefulsets"


def test_a_patch_is_told(server):
    server.review(stateful_set_review("true"))
    assert server.wait_for_event("review")["decision"] == "patched"


def test_what_is_no_review_is_told_at_error(server):
    server.review(b"{}")
    event = server.wait_for_event("review")
    assert (event["level"], event["decision"], event["code"]) == ("error", "refused", 400)
    assert event["message"]


def test_a_body_is_never_logged(serve):
    server = serve("--log-level", "debug")
    server.review(pod_review())
    server.review(b'{"secret-in-the-body')
    server.exchange(post(b"secret-in-the-body", path="/x"))
    server.stop()
    assert len(server.events()) >= 6
    assert "secret-in-the-body" not in "".join(server.lines)


def test_names_from_the_cluster_are_escaped_and_cut(server):
    hostile = 'quote" \\ \n \u2028 ümlaut ' + "ü" * 5000
    server.review(pod_review(uid="u" * 3000, name=hostile))
    event = server.wait_for_event("review")
    assert len(event["uid"]) == 1024 and hostile.startswith(event["name"])
    assert 1000 < len(event["name"].encode()) <= 1024


def test_bytes_that_are_no_utf8_leave_the_log_json(server):
    server.review(pod_review(name="REPLACE").replace(b"REPLACE", b"\xff\xfe"))
    server.stop()
    for line in server.lines:
        json.loads(line)


@pytest.mark.parametrize("level, decisions", [("debug", ["allowed", "denied", "refused"]),
                                              ("info", ["allowed", "denied", "refused"]),
                                              ("warning", ["refused"]), ("error", ["refused"])])
def test_the_level_chooses(serve, level, decisions):
    server = serve("--log-level", level, quiet=level not in ("debug", "info"))
    for body in (pod_review(), stateful_set_review("maybe"), b"{}"):
        server.review(body)
    server.stop()
    assert [event["decision"] for event in server.events("review")] == decisions
    assert bool(server.events("stopped")) == (level in ("debug", "info"))


def test_a_stuck_reader_of_the_log_stalls_no_answer_and_the_lost_lines_are_counted(serve):
    server = serve(read_log=False)
    with server.tls() as sock:
        # Far more than the pipe and the ring hold together.
        for _ in range(3000):
            sock.sendall(post(pod_review(name="n" * 200)))
            assert read_answer(sock).status == 200
    assert server.metrics()["log_lines_dropped_total"] > 0
    assert server.stop() == 0


def test_what_a_stuck_reader_finds_later_are_whole_lines(serve):
    server = serve(read_log=False)
    with server.tls() as sock:
        for _ in range(3000):
            sock.sendall(post(pod_review(name="n" * 200)))
            assert read_answer(sock).status == 200
    dropped = server.metrics()["log_lines_dropped_total"]
    server._follow_log = server._follow(server.process.stdout, server.lines)
    assert server.stop() == 0
    assert len(server.events("review")) == 3000 - dropped


def test_a_line_is_written_soon(server):
    begin = time.monotonic()
    server.review(pod_review())
    server.wait_for_event("review")
    assert time.monotonic() - begin < PATIENCE / 3
