# SPDX-License-Identifier: Apache-2.0
"""The manual page is one that man and groff take, and holds what --help says."""

import os
import re
import subprocess

import pytest
from conftest import ROOT

SECTIONS = ["NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "OPTIONS", "ENVIRONMENT", "SIGNALS", "EXIT STATUS", "FILES",
            "EXAMPLES", "SEE ALSO"]
WIDE = "10000"  # columns: no line is broken


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=True, **options)


@pytest.fixture(scope="module")
def page(program, tmp_path_factory):
    """The file."""
    path = tmp_path_factory.mktemp("man") / "tfconfig-webhook.1"
    with (ROOT / "docs/tfconfig-webhook.1.in").open() as template:
        path.write_text(run(ROOT / "tools/man-page", program, ROOT / "CHANGELOG.md", stdin=template).stdout)
    return path


@pytest.fixture(scope="module")
def shown(page):
    """What a reader sees: section -> its text, blanks joined."""
    text = run("man", "--local-file", page, env={**os.environ, "MANWIDTH": WIDE, "LC_ALL": "C.UTF-8"}).stdout
    parts = re.split(r"^(\S.*)\n", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.fixture(scope="module")
def commands(program):
    return re.findall(r"^  (\w+) ", run(program, "--help").stdout, re.MULTILINE)


def words(text):
    return " ".join(text.split())


@pytest.mark.parametrize("command", [
    ["man", "--warnings", "-E", "UTF-8", "-Tutf8", "-Z", "--local-file"],
    ["groff", "-man", "-ww", "-z"],
    ["groff", "-mandoc", "-ww", "-z", "-Tutf8"],
], ids=lambda command: command[0])
def test_there_is_nothing_to_warn_of(page, command):
    assert run(*command, page).stderr == ""


def test_it_has_its_sections_in_order(page, shown):
    assert [section for section in shown if section.isupper()] == SECTIONS
    assert "@" not in re.sub(r'^\.\\".*', "", page.read_text(), flags=re.MULTILINE)


def test_it_says_the_version(program, shown):
    version = run(program, "--version").stdout.strip()
    assert any(line.startswith(version + " ") for line in shown)


def test_each_command_is_described(program, commands, shown):
    assert len(commands) == 5
    for command in commands:
        usage, description, _ = run(program, command, "--help").stdout.split("\n\n", 2)
        for line in usage.removeprefix("Usage: ").split("\n"):
            assert f"\n       {line.strip()}\n" in "\n" + shown["SYNOPSIS"]
        assert f"{command} {words(description)}" in words(shown["COMMANDS"])


def test_each_option_is_there_with_its_help_and_no_other(program, commands, shown):
    _, *parts = re.split(r"^   Options of (\w+)\n", shown["OPTIONS"], flags=re.MULTILINE)
    assert parts[::2] == commands
    for command, text in zip(commands, parts[1::2], strict=True):
        table = run(program, command, "--help").stdout.split("\n\n", 2)[2]
        table = re.sub(r"^ +TFCONFIG_WEBHOOK_\w+\n", "", table, flags=re.MULTILINE)
        assert words(text) == words(table)


def test_each_variable_is_there_with_its_option(program, shown):
    pairs = re.findall(r"^  (--[a-z-]+).*\n.*\n +(TFCONFIG_WEBHOOK_\w+)$", run(program, "serve", "--help").stdout,
                       re.MULTILINE)
    assert len(pairs) > 20
    for flag, variable in pairs:
        assert f" {variable} {flag} " in words(shown["ENVIRONMENT"])


def test_it_is_installed_beside_the_program(tmp_path, page):
    """By make, which must not take a variant or a job server over from the one that runs these tests."""
    inherited = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "VARIANT")}
    run("make", "-s", "-C", ROOT, "install", f"DESTDIR={tmp_path}", "PREFIX=/usr", env=inherited)
    assert sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()) == [
        "usr/bin/tfconfig-webhook", "usr/share/man/man1/tfconfig-webhook.1"]
    assert (tmp_path / "usr/share/man/man1/tfconfig-webhook.1").read_bytes() == page.read_bytes()
