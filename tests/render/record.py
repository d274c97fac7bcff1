#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what kubectl makes of the cases in yaml_cases.py into kubectl.json, without a cluster.

    python3 tests/render/record.py [KUBECTL]

Nothing says that the answer is right: read the difference before it is committed.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from yaml_cases import CASES  # noqa: E402

RECORDED = pathlib.Path(__file__).with_name("kubectl.json")


def objects_in(text):
    """kubectl prints one object after the other."""
    decoder, found, at = json.JSONDecoder(), [], 0
    while text[at:].strip():
        at += len(text[at:]) - len(text[at:].lstrip())
        value, at = decoder.raw_decode(text, at)
        found += value["items"] if value["kind"] == "List" else [value]
    return found


def read_by_kubectl(kubectl, text):
    """The objects, or None where kubectl refuses."""
    with tempfile.NamedTemporaryFile(suffix=".yaml") as file:
        file.write(text)
        file.flush()
        command = [kubectl, "patch", "--local", "-f", file.name, "--type=merge", "-p", "{}", "-o", "json"]
        done = subprocess.run(command, capture_output=True, env={**os.environ, "KUBECONFIG": "/dev/null"})
    return objects_in(done.stdout.decode()) if done.returncode == 0 else None


def main(kubectl="kubectl"):
    recorded = {name: read_by_kubectl(kubectl, text) for name, text in CASES.items()}
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(objects, ensure_ascii=False)}"
                       for name, objects in recorded.items())
    RECORDED.write_text("{\n" + lines + "\n}\n", encoding="utf-8")
    refused = [name for name, objects in recorded.items() if objects is None]
    print(f"{len(recorded)} cases, refused: {', '.join(refused)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
