# SPDX-License-Identifier: Apache-2.0
"""How a data case is read from its folder; the runner and record.py share it."""

import json
import shlex

from conftest import CASES, run_review


def case_folders():
    return sorted(review.parent for review in CASES.glob("*/*/review.json"))


def read_json(path):
    return json.loads(path.read_text(encoding="utf-8"))


def read_arguments(folder):
    arguments = folder / "args"
    return shlex.split(arguments.read_text()) if arguments.exists() else []


def answer_to(folder):
    """(exit code, answer or None, stderr) of the program for a case's question, byte for byte."""
    return run_review((folder / "review.json").read_bytes(), *read_arguments(folder))
