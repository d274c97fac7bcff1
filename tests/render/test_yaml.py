# SPDX-License-Identifier: Apache-2.0
"""YAML is read as kubectl reads it: held against what kubectl was seen to make of it, and against kubectl itself."""

import json
import os

import pytest

from conftest import ROOT
from record import RECORDED, read_by_kubectl
from render_harness import read_yaml
from yaml_cases import CASES, LAXER, STRICTER

KUBECTL = ROOT / "build" / "e2e" / "bin" / "kubectl"  # of the version that the end-to-end tests have
EXPECTED = json.loads(RECORDED.read_text(encoding="utf-8"))


def objects_in(documents):
    return [item for each in documents for item in (each["items"] if each.get("kind") == "List" else [each])]


def plain(value):
    """Numbers as floats: what a double does not hold, we do not hold either."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


@pytest.mark.parametrize("name", CASES)
def test_case(name, tmp_path):
    path = tmp_path / "oddity.yaml"
    path.write_bytes(CASES[name])
    documents, error = read_yaml(path)
    if name in STRICTER:
        assert error and EXPECTED[name] is not None
    elif name in LAXER:
        assert not error and EXPECTED[name] is None
    elif EXPECTED[name] is None:
        assert error
        assert error.startswith(f"error: {path}:"), error
        line, column = error.removeprefix(f"error: {path}:").split(": ")[0].split(":")
        assert 1 <= int(line) <= CASES[name].count(b"\n") + 1 and int(column) >= 1
    else:
        assert not error, error
        assert plain(objects_in(documents)) == plain(EXPECTED[name])


def test_every_case_was_recorded():
    assert list(EXPECTED) == list(CASES)
    assert sum(objects is None for objects in EXPECTED.values()) < len(CASES) / 2


@pytest.mark.skipif(not os.access(KUBECTL, os.X_OK), reason="kubectl was not built: make cluster builds it")
@pytest.mark.parametrize("name", CASES)
def test_kubectl_still_reads_it_so(name):
    assert read_by_kubectl(KUBECTL, CASES[name]) == EXPECTED[name]


@pytest.mark.parametrize("text", [b"[" * 100_000, b"{a: " * 100_000, b"- " * 100_000, b"? " * 100_000, b"&a " * 100_000,
                                  b"!" * 100_000, b"*" * 100_000, b"\n" * 1_000_000, b"\t" * 100_000, b"'" * 100_000,
                                  b"a: |\n" + b"  b\n" * 100_000, b"a: b\n" * 100_000, b"---\n" * 100_000, b"\\" * 10,
                                  b"", b"\x00", b"\xff" * 1000, bytes(range(256)), b"a: &a [*a, *a]", b"<<: {<<: {}}"])
def test_hostile_text_ends_in_an_answer(text, tmp_path):
    path = tmp_path / "hostile.yaml"
    path.write_bytes(text)
    read_yaml(path)
