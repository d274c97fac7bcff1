#!/usr/bin/env python3
"""Requests a second of the webhook beside a bare libmicrohttpd that echoes the same body: pairs in turn, medians, ranges.

    make bench [BENCH_SECONDS=5] [BENCH_PAIRS=5]

The body is the review of a pod, 6 kB, with a group of 8; TLS 1.3, 8 connections that are kept, the load on the same CPUs.
The ratio says more than the figures: both servers run in turn on the same machine.
"""

import json
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys

from body import ROOT, write_body  # first: it makes conftest findable
from conftest import program_path

FOLDER = ROOT / "build" / "bench"
SECONDS = int(os.environ.get("BENCH_SECONDS", "5"))
PAIRS = int(os.environ.get("BENCH_PAIRS", "5"))
CONNECTIONS = 8

WRK_SCRIPT = """
local file = io.open("{body}", "rb")
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = file:read("*a")
file:close()
"""


def write_load():
    body = FOLDER / "body.json"
    write_body(body)
    (FOLDER / "post.lua").write_text(WRK_SCRIPT.format(body=body))
    return body


class Server:
    """A server as a child process; the first line of its output tells the port, in its own way."""

    def __init__(self, name, command, find_port):
        self.name = name
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.port = find_port(self.process.stdout)
        # The log goes on to nowhere, at the speed of a reader that keeps up.
        self.reader = subprocess.Popen(["cat"], stdin=self.process.stdout, stdout=subprocess.DEVNULL)
        self.rates = []
        self.p99 = []

    def load(self):
        done = subprocess.run(["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{SECONDS}s", "--latency", "-s",
                               str(FOLDER / "post.lua"), f"https://127.0.0.1:{self.port}/mutate"],
                              capture_output=True, text=True, check=True).stdout
        assert "Non-2xx" not in done and "Socket errors" not in done, done
        self.rates.append(float(re.search(r"Requests/sec:\s+([\d.]+)", done)[1]))
        value, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", done).groups()
        self.p99.append(float(value) * {"us": 0.001, "ms": 1, "s": 1000}[unit])

    def resident_kib(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1])

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=60)
        self.reader.wait(timeout=60)


def webhook_port(lines):
    for line in lines:
        event = json.loads(line)
        if event["msg"] == "serving":
            return int(event["listen"].rpartition(":")[2])
    raise SystemExit("the webhook did not start")


def spread(values, form):
    return f"{form.format(statistics.median(values))} ({form.format(min(values))} to {form.format(max(values))})"


def main():
    body = write_load()
    subprocess.run([program_path(), "certs", "--out", str(FOLDER), "--service", "w", "--namespace", "n", "--force"],
                   check=True, stdout=subprocess.DEVNULL)
    certificate, key = str(FOLDER / "tls.crt"), str(FOLDER / "tls.key")
    threads = str(len(os.sched_getaffinity(0)))
    webhook = Server("webhook", [program_path(), "serve", "--tls-cert", certificate, "--tls-key", key, "--listen",
                                 "127.0.0.1:0", "--metrics-listen", "127.0.0.1:0", "--drain", "0", "--threads",
                                 threads], webhook_port)
    echo = Server("echo", [str(ROOT / "build/release/tests/bench/echo"), certificate, key, threads],
                  lambda lines: int(lines.readline()))
    print(f"{body.stat().st_size} bytes, {CONNECTIONS} connections, {threads} threads, {PAIRS} pairs of {SECONDS} s",
          flush=True)
    idle = webhook.resident_kib()
    for _ in range(PAIRS):
        for server in (webhook, echo):
            server.load()
    for server in (webhook, echo):
        print(f"{server.name:8} {spread(server.rates, '{:.0f}')} requests/s, p99 {spread(server.p99, '{:.2f}')} ms, "
              f"{server.resident_kib()} KiB resident")
    ratios = [mine / its for mine, its in zip(webhook.rates, echo.rates)]
    print(f"ratio    {spread(ratios, '{:.2f}')}")
    answered = int(sum(webhook.rates) * SECONDS)
    print(f"memory   {idle} KiB after the start, {webhook.resident_kib()} KiB after {answered} requests")
    for server in (webhook, echo):
        server.stop()


if __name__ == "__main__":
    sys.exit(main())
