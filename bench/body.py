# SPDX-License-Identifier: Apache-2.0
"""The review that is measured: a recorded pod of 6 kB, with a group of 8 unless another size is asked for."""

import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "bench"
sys.path.insert(0, str(ROOT / "tests"))

from conftest import CASES  # noqa: E402
from kubernetes_objects import GROUP  # noqa: E402

STAMP = {"version": 1, "start": 5, "followsReplicas": True, "port": 2222,
         "address": "fqdn", "domain": "cluster.local", "sparse": False, "overwrite": False}


def body(pods=8):
    """As an API server sends it, on one line."""
    review = json.loads((CASES / "recorded" / "pod-create-ordinal-5.json").read_text())
    stamp = {**STAMP, "group": f"worker=trainer.trainer:{pods}"}
    review["request"]["object"]["metadata"]["annotations"] = {GROUP: json.dumps(stamp, separators=(",", ":"))}
    return json.dumps(review, separators=(",", ":")).encode() + b"\n"


def write_body(pods=8):
    """Returns the file's path."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / f"body-{pods}.json"
    path.write_bytes(body(pods))
    return path
