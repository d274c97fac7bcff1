# SPDX-License-Identifier: Apache-2.0
"""What is measured: each function returns {figure: {whose: values}}, where values are those of rounds in turn."""

import base64
import contextlib
import http.client
import json
import os
import resource
import subprocess
from typing import NamedTuple

import instructions
import load
import servers
from body import ROOT, body, write_body
from kubernetes_objects import patched, tf_config_of

SECONDS = int(os.environ.get("BENCH_SECONDS", "5"))
PAIRS = int(os.environ.get("BENCH_PAIRS", "5"))
THREADS = len(os.sched_getaffinity(0))
SERVERS = {"webhook": servers.webhook, "echo": servers.echo, "Go webhook": servers.controller_runtime}
RATE, BURST, SILENT = 1000, 500, 2000
CORE_TIMES = 2_000, 22_000  # answers of two runs, whose difference counts


class Figure(NamedTuple):
    what: str
    form: str = "{:,.0f}"


SPEED, P99 = Figure("requests/s at full speed"), Figure("p99 at full speed, ms", "{:.2f}")
P99_AT_RATE = Figure(f"p99 at {RATE:,} requests/s, ms", "{:.2f}")
IDLE, PEAK, AFTER = (Figure(f"memory {when}, MB", "{:.1f}") for when in
                     ("after the start", "at its peak at full speed", "after that"))
HANDSHAKES = Figure("full TLS handshakes/s")
FAILED = Figure(f"failed of {BURST} new connections at once")
SPEED_SILENT, P99_SILENT = (figure._replace(what=f"{figure.what}, with {SILENT:,} silent connections and without")
                            for figure in (SPEED, P99_AT_RATE))
CPU_THREADS = Figure("CPU for a request at full speed, µs", "{:.1f}")
CPU_SIZES = Figure("CPU for a request by the pods of the group, µs", "{:,.1f}")
CORE_TIME = Figure("the core, µs", "{:.1f}")
BYTES = Figure("bytes of TF_CONFIG by the pods of the group")
INSTRUCTIONS = Figure("instructions of the core by the pods of the group")
PER_BYTE = Figure("instructions of the core for each byte of TF_CONFIG more", "{:.1f}")


def _in_turn(jobs):
    values = {whose: [] for whose in jobs}
    for _ in range(PAIRS):
        for whose, job in jobs.items():
            values[whose].append(job())
    return values


def _each(values, field):
    return {whose: [getattr(value, field) for value in of_one] for whose, of_one in values.items()}


def _megabytes(running, method):
    return {name: [getattr(server, method)() / 1e6] for name, server in running.items()}


@contextlib.contextmanager
def _running(names):
    with contextlib.ExitStack() as stack:
        yield {name: stack.enter_context(SERVERS[name](THREADS)) for name in names}


def _at_full_speed(running, path, script="post.lua"):
    return _in_turn({name: lambda server=server: load.full_speed(server, SECONDS, path, script)
                     for name, server in running.items()})


def _answer(server, review):
    connection = http.client.HTTPSConnection("127.0.0.1", server.port, context=servers.client_context())
    with contextlib.closing(connection):
        connection.request("POST", "/mutate", review, {"Content-Type": "application/json"})
        answer = json.loads(connection.getresponse().read())
    answer["response"]["patch"] = json.loads(base64.b64decode(answer["response"]["patch"]))
    return answer


def check_same_effect():
    """The pod that the API server goes on with is the same, whichever of the two webhooks it asked."""
    with _running(("webhook", "Go webhook")) as running:
        pod = json.loads(body())["request"]["object"]
        mine, its = (patched(pod, _answer(server, body())) for server in running.values())
    assert tf_config_of(mine) and mine == its, f"the Go webhook makes another pod: {its}"


def throughput():
    with _running(SERVERS) as running:
        idle = _megabytes(running, "resident")
        speeds = _at_full_speed(running, write_body())
        return {SPEED: _each(speeds, "rate"), P99: _each(speeds, "p99"), IDLE: idle,
                PEAK: _megabytes(running, "peak"), AFTER: _megabytes(running, "resident")}


def rate():
    path = write_body()
    with _running(SERVERS) as running:
        return {P99_AT_RATE: _in_turn({name: lambda server=server: load.p99_at_rate(server, SECONDS, path, RATE)
                                       for name, server in running.items()})}


def handshake():
    with _running(("webhook", "echo")) as running:
        return {HANDSHAKES: _each(_at_full_speed(running, write_body(), "handshake.lua"), "rate")}


def burst():
    path = write_body()
    with _running(("webhook",)) as running:
        return {FAILED: _in_turn({"webhook": lambda: load.burst(running["webhook"], path, BURST)})}


def silent():
    """With room and time for all of them: by default most would be closed, and cost even less."""
    path = write_body()

    def measure(count):
        with load.silent_connections(webhook, count):
            return load.full_speed(webhook, SECONDS, path).rate, load.p99_at_rate(webhook, SECONDS, path, RATE)

    with servers.webhook(THREADS, "--max-connections", "4096", "--memory", "512Mi", "--request-timeout", "600s",
                         "--idle-timeout", "600s") as webhook:
        values = _in_turn({"with": lambda: measure(SILENT), "without": lambda: measure(0)})
    return {figure: {whose: [value[i] for value in of_one] for whose, of_one in values.items()}
            for i, figure in enumerate((SPEED_SILENT, P99_SILENT))}


def threads():
    path = write_body()
    with servers.webhook(1) as one, servers.webhook(2) as two:
        return {CPU_THREADS: _each(_at_full_speed({"1 thread": one, "2 threads": two}, path), "cpu")}


def sizes():
    paths = {name: write_body(pods) for name, pods in instructions.groups().items()}
    with _running(("webhook",)) as running:
        speeds = _in_turn({name: lambda path=path: load.full_speed(running["webhook"], SECONDS, path)
                           for name, path in paths.items()})
    return {CPU_SIZES: _each(speeds, "cpu")}


def _core_seconds(path, times):
    """Of CPU."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run([ROOT / "build/release/bench/core", path, str(times)], check=True, stdout=subprocess.DEVNULL)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def core():
    path = write_body()
    few, many = CORE_TIMES
    times = _in_turn({"8": lambda: (_core_seconds(path, many) - _core_seconds(path, few)) * 1e6 / (many - few)})
    costs = {name: instructions.of_group(pods) for name, pods in instructions.groups().items()}
    return {CORE_TIME: times, BYTES: {name: [cost.size] for name, cost in costs.items()},
            INSTRUCTIONS: {name: [cost.instructions] for name, cost in costs.items()},
            PER_BYTE: {name: [slope] for name, slope in instructions.slopes(costs).items()}}


MEASURES = {measure.__name__: measure for measure in (throughput, rate, handshake, burst, silent, threads, sizes, core)}
