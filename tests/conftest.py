# SPDX-License-Identifier: Apache-2.0
"""What all Python tests share: where the program is, and how to ask it for an answer."""

import json
import os
import pathlib
import re
import subprocess

import pytest

pytest.register_assert_rewrite("e2e_harness")

ROOT = pathlib.Path(__file__).resolve().parent.parent
CASES = ROOT / "tests" / "cases"


def program_path():
    """The program under test; PROGRAM names another build (a sanitizer's, say)."""
    return os.environ.get("PROGRAM", str(ROOT / "build" / "tfconfig-webhook"))


@pytest.fixture(scope="session")
def program():
    path = program_path()
    assert os.access(path, os.X_OK), f"{path} is missing: run make first"
    return path


def pinned(module, folder):
    """The version of a Go module of the test cluster, such as v1.34.4."""
    text = (ROOT / "tests/e2e/cluster" / folder / "go.mod").read_text()
    return re.search(rf"^(?:require |\t){re.escape(module)} (v\S+)$", text, re.MULTILINE)[1]


def run_review(review, *arguments, decode=True):
    """Runs `tfconfig-webhook review` on a dict or bytes; returns (exit code, answer or None, stderr)."""
    body = review if isinstance(review, bytes) else json.dumps(review).encode()
    command = [program_path(), "review", *(["--decode"] if decode else []), *arguments]
    done = subprocess.run(command, input=body, capture_output=True, timeout=60)
    answer = json.loads(done.stdout) if done.stdout else None
    return done.returncode, answer, done.stderr.decode()
