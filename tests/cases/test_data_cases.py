# SPDX-License-Identifier: Apache-2.0
"""The data cases: a folder below pod/, set/ or review/ for each, so that a new case needs no code.

    review.json    the question, as the API server would send it (or bytes that are no review at all)
    args           further arguments for `tfconfig-webhook review`, one line; may be missing
    expected.json  the answer of `review --decode`
    patched.json   the object after the patch, where the answer has one
    stderr         in place of expected.json where no answer is given: the one line that the program prints

record.py beside this file writes all but the first two.
"""

import json

import pytest

from cases import answer_to, case_folders, read_arguments, read_json
from conftest import CASES, run_review
from kubernetes_objects import patched

pytestmark = pytest.mark.usefixtures("program")

def named(folders):
    return [pytest.param(folder, id=folder.relative_to(CASES).as_posix()) for folder in folders]


@pytest.mark.parametrize("folder", named(case_folders()))
def test_case(folder):
    code, answer, errors = answer_to(folder)
    if (folder / "stderr").exists():
        assert not (folder / "expected.json").exists(), "both an answer and a refusal expected"
        assert (code, answer, errors) == (1, None, (folder / "stderr").read_text())
        return
    assert answer == read_json(folder / "expected.json"), errors
    assert code == (0 if answer["response"]["allowed"] else 1)

    patch = answer["response"].get("patch")
    assert (folder / "patched.json").exists() == (patch is not None), "patched.json is there for a patch alone"
    if patch is None:
        return
    review = read_json(folder / "review.json")
    result = patched(review["request"]["object"], answer)
    assert result == read_json(folder / "patched.json")
    review["request"]["object"] = result
    code, again, errors = run_review(review, *read_arguments(folder))
    assert code == 0, errors
    assert "patch" not in again["response"], "the patched object is patched once more"


@pytest.mark.parametrize("folder", named(sorted(path.parent for path in CASES.glob("*/*/expected.json"))))
def test_expectations_have_a_question(folder):
    """A misnamed review.json must not switch a case off."""
    assert (folder / "review.json").exists()
    assert isinstance(json.loads((folder / "expected.json").read_text()), dict)
