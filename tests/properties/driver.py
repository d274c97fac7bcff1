# SPDX-License-Identifier: Apache-2.0
"""Asks the program for an answer and checks, every time, what must hold of any answer."""

import concurrent.futures
import copy
import json
import unicodedata

import kubernetes_objects
from conftest import run_review
from kubernetes_objects import review_of
from oracle import WAIT_IMAGE

WARNING_MAX, WARNINGS_MAX = 120, 4096

# Starting the program is most of an answer's time, and that is spent waiting.
_pool = concurrent.futures.ThreadPoolExecutor(max_workers=4)


class Answer:
    """One answer to one object, with the object after the patch."""

    def __init__(self, obj, response):
        self.allowed = response["allowed"]
        self.patch = response.get("patch")
        self.message = response.get("status", {}).get("message", "")
        self.warnings = response.get("warnings", [])
        self.audit = response.get("auditAnnotations", {})
        self.object = kubernetes_objects.patched(obj, {"response": response})

    def __repr__(self):
        return f"Answer(allowed={self.allowed}, patch={self.patch}, message={self.message!r}, warnings={self.warnings})"


def ask(obj, old=None, *, domain="", wait_image=WAIT_IMAGE, **review):
    """The program's answer to one object; the rest of the arguments is review_of's."""
    question = review_of(copy.deepcopy(obj), old, **review)
    arguments = ["--cluster-domain", domain] if domain else []
    arguments += ["--wait-image", wait_image] if wait_image else []
    code, answer, errors = run_review(question, *arguments)
    assert answer is not None, f"no answer: {errors}"
    check_shape(question, code, answer)
    return Answer(obj, answer["response"])


def ask_all(objects, **arguments):
    """The answers to several objects, asked for side by side, in the order of the objects."""
    return list(_pool.map(lambda obj: ask(obj, **arguments), objects))


def check_shape(question, code, answer):
    """What the protocol wants of every answer, whatever it says."""
    assert set(answer) == {"apiVersion", "kind", "response"}
    assert answer["apiVersion"] == question["apiVersion"]
    assert answer["kind"] == "AdmissionReview"
    response = answer["response"]
    assert set(response) <= {"uid", "allowed", "status", "patch", "patchType", "warnings", "auditAnnotations"}
    assert response["uid"] == question["request"]["uid"]
    assert code == (0 if response["allowed"] is True else 1)
    if response["allowed"]:
        assert "status" not in response
    else:
        assert response["allowed"] is False
        status = response["status"]
        assert status["code"] == 422 and "reason" not in status and status["message"]
        assert not has_control_characters(status["message"]), status["message"]
        assert "patch" not in response
    assert ("patch" in response) == ("patchType" in response)
    if "patch" in response:
        assert response["patchType"] == "JSONPatch" and isinstance(response["patch"], list) and response["patch"]
    check_warnings(response.get("warnings", []))
    for key, value in response.get("auditAnnotations", {}).items():
        assert "/" not in key and 0 < len(key) <= 63, key
        assert isinstance(value, str)


def check_warnings(warnings):
    assert sum(len(warning.encode()) for warning in warnings) <= WARNINGS_MAX
    for warning in warnings:
        assert 0 < len(warning) <= WARNING_MAX, warning
        assert not has_control_characters(warning), warning
        assert not warning.lower().startswith("warning:"), warning


def has_control_characters(text):
    return any(unicodedata.category(character) == "Cc" for character in text)


def check_group(values):
    """What must hold across all pods of a group: (group, value) of each."""
    tasks = [tuple(json.loads(value)["task"].values()) for _, value in values]
    assert len(set(tasks)) == len(tasks), "two pods with the same task"
    clusters = set()
    for group, value in values:
        if (role := json.loads(value)["task"]["type"]) == "evaluator" or (group.sparse and role == "worker"):
            continue
        clusters.add(value[:value.index(',"task":')])
    assert len(clusters) <= 1, "two pods with different clusters"
