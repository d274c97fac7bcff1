#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The webhook's resident memory over many requests, and while it is sent the worst bodies, many at once.

    make bench-memory [BENCH_REQUESTS=10000000] [BENCH_SECONDS=5]

It is noted 20 times on the way; a line is fitted to the notes. The worst bodies are those of tests/server, 7 MiB each,
most of which are refused or told to come back.
"""

import concurrent.futures
import os
import statistics
import sys

import load
import measures
import servers
from body import FOLDER, ROOT, write_body
from report import markdown

sys.path.insert(0, str(ROOT / "tests/server"))

import server_harness as harness  # noqa: E402
from test_serve_memory import HOSTILE, status_or_refused  # noqa: E402

REQUESTS = int(os.environ.get("BENCH_REQUESTS", "10_000_000"))
NOTES = 20
WORST = [*HOSTILE.values(), harness.padded(harness.pod_review(), harness.MAX_BODY)] * 8
AT_ONCE = 64
ROUNDS = 5


def megabytes(count):
    return f"{count / 1e6:.2f}"


def many_requests():
    path = write_body()
    answered = 0
    notes = []
    with servers.webhook(measures.THREADS) as webhook:
        print(f"{megabytes(webhook.resident())} MB after the start", flush=True)
        for i in range(1, NOTES + 1):
            while answered < REQUESTS * i / NOTES:
                answered += load.full_speed(webhook, measures.SECONDS, path).requests
            notes.append((answered, webhook.resident()))
            print(f"{megabytes(notes[-1][1])} MB after {answered:,} requests", flush=True)
        slope, _ = statistics.linear_regression(*zip(*notes, strict=True))
        print(f"{megabytes(webhook.peak())} MB at the peak, {slope:+.4f} bytes for each request\n", flush=True)


def worst_bodies():
    """Rounds of them; each note is of a server at rest again."""
    server = harness.Server(harness.Pair(FOLDER / "pair"))
    rows = [["start", megabytes(server.memory()), "", ""]]
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        for i in range(1, ROUNDS + 1):
            statuses = list(pool.map(lambda body: status_or_refused(server, body), WORST))
            server.wait_for_metric("connections", 0)
            counts = ", ".join(f"{statuses.count(status)} {status or 'not connected'}"
                               for status in sorted(set(statuses), key=str))
            rows.append([i, megabytes(server.memory()), megabytes(server.peak_memory()), counts])
    server.end()
    print(f"{len(WORST)} bodies of 7 MiB, {AT_ONCE} at once\n")
    print(markdown(["round", "MB after it", "MB at the peak so far", "answers"], rows), end="")


def main():
    servers.make_certificate()
    many_requests()
    worst_bodies()


if __name__ == "__main__":
    sys.exit(main())
