# SPDX-License-Identifier: Apache-2.0
"""The Makefile: what has to be built anew after a change is."""

import os
import re
import subprocess

import pytest
from conftest import ROOT

# What a make that runs this says to its own kind is not for the make that is asked here.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}


def compiled(variant, objects, *flags):
    """Which of the objects make would compile now."""
    done = subprocess.run(["make", "--dry-run", f"VARIANT={variant}", *flags, *objects], cwd=ROOT, env=ENVIRONMENT,
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(re.findall(r"-c -o (\S+\.o)\b", done.stdout))


def built(variant):
    """The objects that are up to date, and so would not be compiled."""
    objects = {str(path.relative_to(ROOT)) for path in (ROOT / "build" / variant).rglob("*.o")}
    there = {path for path in objects if (ROOT / path.removeprefix(f"build/{variant}/")).with_suffix(".c").exists()}
    return there - compiled(variant, there) if there else set()


@pytest.mark.parametrize("variant", ["release", "clang", "asan", "tsan", "fuzz"])
def test_a_header_that_changes_rebuilds_every_object_that_includes_it(variant):
    objects = built(variant)
    if not objects and variant != "release":
        pytest.skip("it is not built here")
    assert variant != "release" or any(path.startswith(("build/release/tests/", "build/release/bench/")) for path in objects)
    headers = [str(path.relative_to(ROOT)) for top in ("include", "tests", "bench") for path in (ROOT / top).rglob("*.h")]
    of_the_project = {path for path in objects if any(
        header in (ROOT / path).with_suffix(".d").read_text().split() for header in headers)}
    assert of_the_project
    assert of_the_project == compiled(variant, objects, *(f"--what-if={header}" for header in headers))
