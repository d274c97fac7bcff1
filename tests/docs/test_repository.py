# SPDX-License-Identifier: Apache-2.0
"""The files are what .editorconfig and .gitattributes say, and what was recorded stays byte for byte."""

import re
import subprocess

import pytest
from conftest import ROOT

RECORDED = ("tests/cases/pod/", "tests/cases/review/", "tests/cases/set/", "tests/cases/recorded/",
            "tests/render/kubectl.json")


def git(*arguments):
    done = subprocess.run(["git", *arguments], capture_output=True, text=True, cwd=ROOT)
    if done.returncode != 0:
        pytest.skip(f"git {arguments[0]}: {done.stderr.strip()}")
    return done.stdout


def tracked():
    paths = [ROOT / name for name in git("ls-files", "-z").split("\0") if name]
    return [path for path in paths if path.is_file() and not path.is_symlink()]


def is_recorded(path):
    return path.relative_to(ROOT).as_posix().startswith(RECORDED)


def test_git_changes_no_byte_of_what_was_recorded():
    recorded = [path for path in tracked() if is_recorded(path)]
    assert len(recorded) > 500
    names = [path.relative_to(ROOT).as_posix() for path in recorded]
    fields = git("check-attr", "-z", "text", "--", *names).split("\0")
    assert dict(zip(fields[::3], fields[2::3])) == dict.fromkeys(names, "unset")


def test_all_other_files_are_text_as_the_editorconfig_says():
    for path in tracked():
        text = path.read_bytes().decode()
        if not text or is_recorded(path):
            continue
        assert text.endswith("\n") and not text.endswith("\n\n"), path
        assert not re.search(r"\r|[ \t]$", text, re.MULTILINE), path


def test_patterns_for_files_that_moved_are_not_left_behind():
    names = [path.relative_to(ROOT) for path in tracked()]
    patterns = re.findall(r"^([^#*\s]\S*) ", (ROOT / ".gitattributes").read_text(), re.MULTILINE)
    assert len(patterns) > 4
    for pattern in patterns:
        folder = pattern.removesuffix("**")
        assert any(name.match(pattern) or name.as_posix().startswith(folder) for name in names), pattern


def test_every_source_names_its_licence():
    sources = [path for path in tracked() if not is_recorded(path) and (
        path.suffix in (".c", ".h", ".go", ".lua", ".py") or path.read_bytes().startswith(b"#!"))]
    assert len(sources) > 400
    for path in sources:
        assert "SPDX-License-Identifier: Apache-2.0" in "".join(path.read_text().splitlines(keepends=True)[:2]), path


def test_what_a_reader_takes_in_at_once_has_a_bound():
    """Lines of 120 columns, and of the program functions of 60 lines and files of 500: tests hold long tables."""
    for path in tracked():
        name = path.relative_to(ROOT)
        if path.suffix not in (".c", ".h"):
            continue
        lines = path.read_text().splitlines()
        for number, line in enumerate(lines, 1):
            assert len(line.expandtabs(8)) <= 120, f"{name}:{number}"
        if name.parts[0] not in ("src", "include"):
            continue
        assert len(lines) <= 500, name
        starts = [number for number, line in enumerate(lines) if line == "{"]
        ends = [number for number, line in enumerate(lines) if line == "}"]
        for start, end in zip(starts, ends, strict=True):
            assert end - start < 60, f"{name}:{start}: a function of {end - start + 1} lines"
