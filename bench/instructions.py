#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the core spends on the review of a pod, 6 kB, with a group of 8: instructions, by function, and allocations.

    make test-instructions
    make bench-sizes          the sums alone, of groups up to the largest

callgrind counts; the machine's mood has no part in it. Exits 1 where an answer takes 10 % more than BUDGET, or asks the
system for memory. Who makes the core cheaper lowers BUDGET in the same commit.
"""

import bisect
import itertools
import json
import re
import subprocess
import sys
from typing import NamedTuple

from body import FOLDER, ROOT, body, write_body
from conftest import run_review
from kubernetes_objects import patched, tf_config_of
from report import markdown

BUDGET = 218_000  # instructions
SLACK = 1.1  # another compiler's, or another C library's

PODS = (8, 64, 512, 1600)
FEW, MANY = 20, 120
SHOWN = 25  # functions
LINE = r"^ *([\d,]+) \([ \d.]+%\)  .*?:(0x\w+|[A-Za-z_]\S*)[^[\n]*(?:\[.*/(\S+)\])?$"


def run(path, times):
    """Instructions of each function, by itself, in a run of so many answers; the allocations after the first."""
    out = FOLDER / f"callgrind-{times}"
    done = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}",
                           str(ROOT / "build/release/bench/core"), str(path), str(times)],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    report = subprocess.run(["callgrind_annotate", "--threshold=100", "--auto=no", str(out)], capture_output=True,
                            text=True, check=True).stdout
    functions = {}
    for count, name, library in re.findall(LINE, report, re.MULTILINE):
        name = f"(in {library})" if name.startswith("0x") else name  # a library without symbols
        functions[name] = functions.get(name, 0) + int(count.replace(",", ""))
    return functions, int(done.stdout.split()[0])


def costs_of(path):
    """Instructions of one answer, by function; the allocations in MANY answers."""
    few, _ = run(path, FEW)
    many, allocations = run(path, MANY)
    return {name: (many[name] - few.get(name, 0)) / (MANY - FEW) for name in many}, allocations


def tf_config_size(pods):
    """Bytes of the value that the program gives the pod, 0 where it denies it."""
    _, answer, _ = run_review(body(pods))
    if not answer["response"]["allowed"]:
        return 0
    return len(tf_config_of(patched(json.loads(body(pods))["request"]["object"], answer)))


def groups():
    """Numbers of pods by name, up to the most whose TF_CONFIG is within its limit."""
    largest = bisect.bisect_left(range(10_000), True, lo=1, key=lambda pods: tf_config_size(pods) == 0) - 1
    return {**{f"{pods:,}": pods for pods in PODS}, "largest": largest}


class Cost(NamedTuple):
    size: int  # bytes of TF_CONFIG
    instructions: float  # of one answer


def of_group(pods):
    costs, _ = costs_of(write_body(pods))
    return Cost(tf_config_size(pods), sum(costs.values()))


def slopes(costs):
    """Instructions for each byte more than the next smaller group has: all the same where the cost is linear."""
    names = list(costs)
    return {name: (costs[name].instructions - costs[smaller].instructions) / (costs[name].size - costs[smaller].size)
            for smaller, name in itertools.pairwise(names)}


def show_sizes():
    sizes = groups()
    costs = {name: of_group(pods) for name, pods in sizes.items()}
    slope = {name: f"{value:.1f}" for name, value in slopes(costs).items()}
    rows = [[f"{sizes[name]:,}", f"{cost.size:,}", f"{cost.instructions:,.0f}", slope.get(name, "")]
            for name, cost in costs.items()]
    print(markdown(["pods", "bytes of TF_CONFIG", "instructions", "for each byte more"], rows), end="")
    return 0


def check():
    costs, allocations = costs_of(write_body())
    for name, cost in sorted(costs.items(), key=lambda item: -item[1])[:SHOWN]:
        print(f"{cost:10,.0f}  {name}")
    total = sum(costs.values())
    print(f"{total:10,.0f}  instructions an answer, of {BUDGET:,}; {allocations} allocations in {MANY} answers")
    if total > BUDGET * SLACK or allocations:
        print("over the budget", file=sys.stderr)
        return 1
    return 0


def main():
    if sys.argv[1:] == ["--sizes"]:
        return show_sizes()
    return check()


if __name__ == "__main__":
    sys.exit(main())
