# SPDX-License-Identifier: Apache-2.0
"""The plain port: probes, and a page of metrics that Prometheus takes and that tells the truth."""

import shutil
import subprocess
import time

import pytest
from server_harness import (PATIENCE, eventually, pair, pod_review, post, serve, server, stateful_set_review)  # noqa: F401

REQUESTS = "admission_requests_total"


def test_promtool_finds_nothing_to_say(server):
    if not shutil.which("promtool"):
        pytest.skip("promtool is not installed")
    server.review(pod_review())
    done = subprocess.run(["promtool", "check", "metrics"], input=server.page("/metrics").body, capture_output=True,
                          timeout=PATIENCE)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_the_page_names_its_format(server):
    assert server.page("/metrics").headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"


def test_decisions_are_counted_by_resource_operation_and_decision(server):
    for body in (pod_review(), pod_review(), stateful_set_review("true"), stateful_set_review("maybe"), b"{"):
        server.review(body)
    counts = {name: value for name, value in server.metrics().items() if name.startswith(REQUESTS) and value}
    assert counts == {REQUESTS + '{resource="pods",operation="CREATE",decision="allowed"}': 2,
                      REQUESTS + '{resource="statefulsets",operation="CREATE",decision="patched"}': 1,
                      REQUESTS + '{resource="statefulsets",operation="CREATE",decision="denied"}': 1,
                      REQUESTS + '{resource="other",operation="other",decision="refused"}': 1}


def test_what_clients_name_makes_no_new_series(server):
    before = set(server.metrics())
    for word in (b"gadgets", b"CONNECT", b'x"} 1\\nevil'):
        server.review(pod_review().replace(b'"resource": "pods"', b'"resource": "%s"' % word))
        server.review(pod_review().replace(b'"CREATE"', b'"%s"' % word))
    assert set(server.metrics()) == before


def test_durations_fill_a_histogram(server):
    for _ in range(10):
        server.review(pod_review())
    metrics = server.metrics()
    buckets = [value for name, value in metrics.items() if name.startswith("admission_duration_seconds_bucket")]
    assert buckets == sorted(buckets) and len(buckets) == 13
    assert metrics['admission_duration_seconds_bucket{le="+Inf"}'] == 10
    assert metrics["admission_duration_seconds_count"] == 10
    assert 0 < metrics["admission_duration_seconds_sum"] < PATIENCE


def test_bytes_of_bodies_are_counted(server):
    server.review(pod_review())
    assert server.metrics()["admission_received_bytes_total"] == len(pod_review())


def test_connections_and_requests_in_flight_are_gauges(server):
    with server.tls() as sock:
        sock.sendall(post(pod_review())[:-1])
        eventually(lambda: server.metrics()["admission_in_flight"] == 1, "one is in flight")
        assert server.metrics()["connections"] == 1
    server.wait_for_metric("connections", 0)
    assert server.metrics()["admission_in_flight"] == 0


def test_the_certificate_s_expiry_is_told(server):
    expiry = server.pair.leaf.not_valid_after_utc.timestamp()
    assert server.metrics()["certificate_expiry_timestamp_seconds"] == expiry


def test_the_process_is_described(server):
    metrics = server.metrics()
    assert abs(metrics["process_start_time_seconds"] - time.time()) < 60
    assert 1e6 < metrics["process_resident_memory_bytes"] <= metrics["process_virtual_memory_bytes"]
    assert abs(metrics["process_resident_memory_bytes"] - server.memory()) < 4e6
    assert 5 < metrics["process_open_fds"] < 100 <= metrics["process_max_fds"]
    assert 0 < metrics["process_cpu_seconds_total"] < 60


def test_the_version_is_told(server, program):
    version = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=PATIENCE).stdout.split()[1]
    assert server.metrics()[f'build_info{{version="{version}"}}'] == 1


def test_open_descriptors_do_not_grow(server):
    server.review(pod_review())
    server.wait_for_metric("connections", 0)
    before = server.metrics()["process_open_fds"]
    for _ in range(50):
        server.review(pod_review())
    server.wait_for_metric("connections", 0)
    assert server.metrics()["process_open_fds"] == before


def test_probes_answer_with_one_line(server):
    for path, text in (("/healthz", b"alive\n"), ("/readyz", b"ready\n")):
        answer = server.page(path)
        assert (answer.status, answer.body) == (200, text)
        assert server.page(path + "?verbose").status == 200


def test_head_is_answered_without_a_body(server):
    for path in ("/healthz", "/readyz", "/metrics"):
        answer = server.page(path, method="HEAD")
        assert (answer.status, answer.body) == (200, b"")
        assert int(answer.headers["Content-Length"]) > 0


def test_other_paths_and_methods_are_refused(server):
    for path in ("/", "/mutate", "/metrics/", "/healthz/x"):
        assert server.page(path).status == 404
    answer = server.page("/metrics", method="POST")
    assert (answer.status, answer.headers["Allow"]) == (405, "GET, HEAD")
