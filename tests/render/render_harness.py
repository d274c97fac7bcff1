# SPDX-License-Identifier: Apache-2.0
"""What the tests of `render` share: how to run the program, or only its YAML reader."""

import json
import os
import pathlib
import subprocess

from conftest import program_path

# What libfyaml loses is not ours to find; it counts under AddressSanitizer alone.
SUPPRESSIONS = pathlib.Path(__file__).with_name("lsan.supp")
ENVIRONMENT = {"LSAN_OPTIONS": f"print_suppressions=0:suppressions={SUPPRESSIONS}", **os.environ}


def render(*arguments, text=None, **settings):
    """Runs `tfconfig-webhook render`; a text goes to stdin, which the arguments must name."""
    command = [os.path.abspath(program_path()), "render", *map(str, arguments)]
    text = text.encode() if isinstance(text, str) else text
    done = subprocess.run(command, input=text, capture_output=True, timeout=300, env=ENVIRONMENT, **settings)
    done.stdout, done.stderr = done.stdout.decode(), done.stderr.decode()
    return done


def render_json(text, *arguments, code=0):
    """What is found out about each StatefulSet of a text."""
    done = render("-f", "-", "-o", "json", *arguments, text=text)
    assert done.returncode == code, (done.stdout[:2000], done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()]


def reader_path():
    """Only the reader, from the same build as the program."""
    folder = pathlib.Path(program_path()).parent
    return str((folder / "release" if folder.name == "build" else folder) / "read-yaml")


def read_yaml(path):
    """(objects, error or None) of one file."""
    assert os.access(reader_path(), os.X_OK), f"{reader_path()} is missing: make {reader_path()}"
    done = subprocess.run([reader_path(), path], capture_output=True, timeout=60, env=ENVIRONMENT)
    assert done.returncode == 0, done.stderr.decode()
    *lines, end = done.stdout.decode().removesuffix("\n").split("\n")
    assert end == "---"
    errors = [line for line in lines if line.startswith("error: ")]
    return [json.loads(line) for line in lines if line.startswith("{")], errors[0] if errors else None
