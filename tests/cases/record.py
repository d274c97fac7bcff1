#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what the program answers now into data cases: expected.json and patched.json, or stderr.

    python3 tests/cases/record.py CASE...

CASE is a folder below tests/cases, such as set/plain-is-stamped, that holds review.json (and args). Nothing says that the
answer is right: read the difference before it is committed.
"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from cases import answer_to, read_json  # noqa: E402
from conftest import CASES  # noqa: E402
from kubernetes_objects import patched  # noqa: E402


def write_json(path, value):
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def record(folder):
    for name in ("expected.json", "patched.json", "stderr"):
        (folder / name).unlink(missing_ok=True)
    code, answer, errors = answer_to(folder)
    if answer is None:
        (folder / "stderr").write_text(errors)
        return f"refused: {errors.strip()}"
    write_json(folder / "expected.json", answer)
    response = answer["response"]
    if "patch" in response:
        write_json(folder / "patched.json", patched(read_json(folder / "review.json")["request"]["object"], answer))
        return "allowed with a patch"
    return "allowed unchanged" if code == 0 else f"denied: {response['status']['message']}"


def main(names):
    if not names or names[0].startswith("-"):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    for name in names:
        folder = CASES / pathlib.Path(name).resolve().relative_to(CASES) if pathlib.Path(name).exists() else CASES / name
        if not (folder / "review.json").exists():
            print(f"{folder}/review.json is missing", file=sys.stderr)
            return 1
        print(f"{folder.relative_to(CASES)}: {record(folder)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
