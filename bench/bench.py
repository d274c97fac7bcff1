#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The webhook beside a bare libmicrohttpd that echoes the body, and beside a webhook in Go with controller-runtime.

    make bench [BENCH_SECONDS=5] [BENCH_PAIRS=5] [BENCH_ONLY=throughput,rate,handshake,burst,silent,threads,sizes,core]

The body is the review of a pod, 6 kB, with a group of 8; TLS 1.3, the load on the same CPUs. Servers are measured in
turn, and a ratio is of one round, so ratios say more than figures. All values are in build/bench/results.json, the
tables in results.md beside it, the plot of a whole run in bench/results.svg.
"""

import json
import os
import re
import statistics
import sys
from collections.abc import Callable
from typing import NamedTuple

import load
import measures
import report
import servers
from body import FOLDER, ROOT, write_body


class Goal(NamedTuple):
    figure: measures.Figure
    whose: str
    beside: str | None  # where the ratio counts
    asked: str
    reached: Callable  # tells by the values


def at_most(limit):
    return f"at most {limit:,}", lambda values: statistics.median(values) <= limit


def at_least(limit):
    return f"at least {limit:,}", lambda values: statistics.median(values) >= limit


def within(share):
    return f"1, within {share:.0%}", lambda values: abs(statistics.median(values) - 1) <= share


# What is no worse in one of the rounds can't be measured.
NO_SLOWER = "1 or more in a round", lambda values: max(values) >= 1
NO_LATER = "1 or less in a round", lambda values: min(values) <= 1

GOALS = [
    Goal(measures.SPEED, "webhook", "echo", *at_least(0.6)),
    Goal(measures.SPEED, "webhook", "Go webhook", *at_least(15)),
    Goal(measures.P99_AT_RATE, "webhook", None, *at_most(1)),
    Goal(measures.P99_AT_RATE, "webhook", "Go webhook", *at_most(0.1)),
    Goal(measures.PER_BYTE, "largest", "64", *within(0.1)),
    Goal(measures.CORE_TIME, "8", None, *at_most(12)),
    Goal(measures.INSTRUCTIONS, "8", None, *at_most(235_000)),
    Goal(measures.IDLE, "webhook", None, *at_most(10)),
    Goal(measures.HANDSHAKES, "webhook", "echo", *at_least(0.95)),
    Goal(measures.FAILED, "webhook", None, "none", lambda values: max(values) == 0),
    Goal(measures.SPEED_SILENT, "with", "without", *NO_SLOWER),
    Goal(measures.P99_SILENT, "with", "without", *NO_LATER),
    Goal(measures.CPU_THREADS, "2 threads", "1 thread", *within(0.05)),
]
PLOTTED = (measures.SPEED, measures.P99_AT_RATE, measures.HANDSHAKES, measures.PEAK)


def rows_of_goals(results):
    for goal in GOALS:
        if goal.figure not in results:
            continue
        values = results[goal.figure][goal.whose]
        figure, ratio = report.spread(values, goal.figure.form), ""
        if goal.beside:
            others = results[goal.figure][goal.beside]
            values = [value / other for value, other in zip(values, others, strict=True)]
            figure += f", {goal.beside} {report.spread(others, goal.figure.form)}"
            ratio = report.spread(values, "{:.2f}")
        yield goal.figure.what, f"{goal.whose} {figure}", ratio, goal.asked, "yes" if goal.reached(values) else "no"


def rows_of_figures(results):
    for figure, values in results.items():
        for whose, of_one in values.items():
            yield figure.what, whose, report.spread(of_one, figure.form)


def describe_machine():
    modules = (ROOT / "bench/controller-runtime/go.mod").read_text()
    version = re.search(r"sigs.k8s.io/controller-runtime v(\S+)", modules)[1]
    return (f"{report.machine()}, controller-runtime {version}; {write_body().stat().st_size:,} bytes, "
            f"{measures.THREADS} threads, {load.CONNECTIONS} connections, "
            f"{measures.PAIRS} rounds of {measures.SECONDS} s")


def main():
    only = os.environ.get("BENCH_ONLY")
    wanted = only.split(",") if only else list(measures.MEASURES)
    servers.make_certificate()
    measures.check_same_effect()
    results = {}
    for name in wanted:
        print(f"measuring {name}", flush=True)
        results.update(measures.MEASURES[name]())
    machine = describe_machine()
    text = "\n".join([machine + "\n",
                      report.markdown(["goal", "figure", "ratio", "asked", "reached"], rows_of_goals(results)),
                      report.markdown(["figure", "whose", "median (range)"], rows_of_figures(results))])
    print(text, end="")
    (FOLDER / "results.md").write_text(text)
    (FOLDER / "results.json").write_text(json.dumps(
        {"machine": machine, "results": {figure.what: values for figure, values in results.items()}}, indent=1) + "\n")
    if not only:
        groups = [(figure.what, figure.form, list(results[figure].items())) for figure in PLOTTED]
        (ROOT / "bench/results.svg").write_text(report.bars_svg("The webhook beside others", groups))


if __name__ == "__main__":
    sys.exit(main())
