#!/usr/bin/env python3
"""What the core spends on the review of a pod, 6 kB, with a group of 8: instructions, by function, and allocations.

    make check-instructions

callgrind counts; the machine's mood has no part in it. Exits 1 where an answer takes 10 % more than BUDGET, or asks the
system for memory. Who makes the core cheaper lowers BUDGET in the same commit.
"""

import re
import subprocess
import sys

from body import ROOT, write_body

BUDGET = 218_000  # instructions
SLACK = 1.1  # another compiler's, or another C library's

FOLDER = ROOT / "build" / "bench"
FEW, MANY = 20, 120
SHOWN = 25  # functions
LINE = r"^ *([\d,]+) \([ \d.]+%\)  .*?:(0x\w+|[A-Za-z_]\S*)[^[\n]*(?:\[.*/(\S+)\])?$"


def run(times):
    """Instructions of each function, by itself, in a run of so many answers; the allocations after the first."""
    out = FOLDER / f"callgrind-{times}"
    done = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}",
                           str(ROOT / "build/release/tests/bench/core"), str(FOLDER / "body.json"), str(times)],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    report = subprocess.run(["callgrind_annotate", "--threshold=100", "--auto=no", str(out)], capture_output=True,
                            text=True, check=True).stdout
    functions = {}
    for count, name, library in re.findall(LINE, report, re.MULTILINE):
        name = f"(in {library})" if name.startswith("0x") else name  # a library without symbols
        functions[name] = functions.get(name, 0) + int(count.replace(",", ""))
    return functions, int(done.stdout.split()[0])


def main():
    write_body(FOLDER / "body.json")
    few, _ = run(FEW)
    many, allocations = run(MANY)
    costs = {name: (many[name] - few.get(name, 0)) / (MANY - FEW) for name in many}
    for name, cost in sorted(costs.items(), key=lambda item: -item[1])[:SHOWN]:
        print(f"{cost:10,.0f}  {name}")
    total = sum(costs.values())
    print(f"{total:10,.0f}  instructions an answer, of {BUDGET:,}; {allocations} allocations in {MANY} answers")
    if total > BUDGET * SLACK or allocations:
        print("over the budget", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
