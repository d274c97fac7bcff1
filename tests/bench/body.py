"""The review that is measured: a recorded pod of 6 kB, with a group of 8."""

import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from conftest import DATA  # noqa: E402
from kubernetes_objects import GROUP  # noqa: E402

STAMP = {"version": 1, "group": "worker=trainer.trainer:8", "start": 5, "followsReplicas": True, "port": 2222,
         "address": "fqdn", "domain": "cluster.local", "sparse": False, "overwrite": False}


def write_body(path):
    """Writes it as an API server sends it, on one line."""
    review = json.loads((DATA / "recorded" / "pod-create-ordinal-5.json").read_text())
    review["request"]["object"]["metadata"]["annotations"] = {GROUP: json.dumps(STAMP, separators=(",", ":"))}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(review, separators=(",", ":")) + "\n")
