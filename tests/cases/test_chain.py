# SPDX-License-Identifier: Apache-2.0
"""From a StatefulSet to its pods, with AdmissionReviews as a real API server sent them.

The set `trainer` of namespace `ml` has 3 replicas whose ordinals start at 5, two containers and two init containers.
It was applied, scaled to 4 with `kubectl scale`, restarted and annotated. No webhook ran when the reviews were
recorded, so the pods carry the label that the user wrote and no stamp: the tests put it there as the controller would.
"""

import copy
import json

import pytest

from conftest import CASES, run_review
from kubernetes_objects import GROUP, INJECT, patched, tf_config_of

pytestmark = pytest.mark.usefixtures("program")

RECORDED = CASES / "recorded"
CURE = "kubectl -n ml rollout restart statefulset/trainer"

PODS = {ordinal: f"pod-create-ordinal-{ordinal}.json" for ordinal in (5, 6, 7)}
PODS[8] = "pod-create-ordinal-8-after-scale.json"

OF_THREE = {
    5: '{"cluster":{"worker":["trainer-5.trainer.ml.svc.cluster.local:2222",'
       '"trainer-6.trainer.ml.svc.cluster.local:2222","trainer-7.trainer.ml.svc.cluster.local:2222"]},'
       '"task":{"type":"worker","index":0}}',
    6: '{"cluster":{"worker":["trainer-5.trainer.ml.svc.cluster.local:2222",'
       '"trainer-6.trainer.ml.svc.cluster.local:2222","trainer-7.trainer.ml.svc.cluster.local:2222"]},'
       '"task":{"type":"worker","index":1}}',
    7: '{"cluster":{"worker":["trainer-5.trainer.ml.svc.cluster.local:2222",'
       '"trainer-6.trainer.ml.svc.cluster.local:2222","trainer-7.trainer.ml.svc.cluster.local:2222"]},'
       '"task":{"type":"worker","index":2}}',
}
OF_FOUR = {
    ordinal: '{"cluster":{"worker":["trainer-5.trainer.ml.svc.cluster.local:2222",'
             '"trainer-6.trainer.ml.svc.cluster.local:2222","trainer-7.trainer.ml.svc.cluster.local:2222",'
             '"trainer-8.trainer.ml.svc.cluster.local:2222"]},"task":{"type":"worker","index":%d}}' % (ordinal - 5)
    for ordinal in PODS
}


def recorded(name):
    return json.loads((RECORDED / name).read_text(encoding="utf-8"))


def stamped_template(name, *arguments):
    """The pod template's metadata after stage 1 on a recorded StatefulSet."""
    review = recorded(name)
    code, answer, errors = run_review(review, *(arguments or ("--cluster-domain", "cluster.local")))
    assert code == 0, (answer, errors)
    before, after = review["request"]["object"], patched(review["request"]["object"], answer)
    metadata = after["spec"]["template"]["metadata"]
    assert metadata["labels"] == {"app": "trainer", INJECT: "true"}
    # Nothing but the stamp has changed.
    rest = copy.deepcopy(after)
    del rest["spec"]["template"]["metadata"]["annotations"][GROUP]
    if "annotations" not in before["spec"]["template"]["metadata"]:
        assert rest["spec"]["template"]["metadata"].pop("annotations") == {}
    assert rest == before
    review["request"]["object"] = after
    code, again, _ = run_review(review, *(arguments or ("--cluster-domain", "cluster.local")))
    assert code == 0 and "patch" not in again["response"]
    return metadata


def pod_review(ordinal, template_metadata):
    """A recorded pod as it would have come from a stamped template."""
    review = recorded(PODS[ordinal])
    metadata = review["request"]["object"]["metadata"]
    for kind in ("labels", "annotations"):
        metadata[kind] = {**metadata.get(kind, {}), **template_metadata.get(kind, {})}
    return review


def check_pod(ordinal, template_metadata, value, *arguments):
    review = pod_review(ordinal, template_metadata)
    code, answer, errors = run_review(review, *arguments)
    assert code == 0, (answer, errors)
    assert "warnings" not in answer["response"]
    before, after = review["request"]["object"], patched(review["request"]["object"], answer)
    expected = copy.deepcopy(before)
    for container in expected["spec"]["containers"]:
        container["env"] = [{"name": "TF_CONFIG", "value": value}] + container.get("env", [])
    expected["metadata"]["labels"].update({"tfconfig.dev/role": "worker", "tfconfig.dev/index": str(ordinal - 5)})
    assert after == expected
    assert [c["name"] for c in after["spec"]["containers"] if c["env"][0]["name"] == "TF_CONFIG"] == [
        "tensorflow", "sidecar"]
    assert tf_config_of(after, "fetch") is None and tf_config_of(after, "logs") is None
    audit = answer["response"]["auditAnnotations"]
    assert audit["role"] == "worker" and audit["index"] == str(ordinal - 5)

    review["request"]["object"] = after
    code, again, _ = run_review(review, *arguments)
    assert code == 0 and "patch" not in again["response"]
    assert again["response"]["auditAnnotations"] == audit


@pytest.mark.parametrize("ordinal", [5, 6, 7])
@pytest.mark.parametrize("arguments", [(), ("--cluster-domain", "another.example")], ids=["no domain", "another one"])
def test_pods_of_the_created_set(ordinal, arguments):
    """Whatever the webhook that answers for the pod was told, the value is the one of the stamp."""
    check_pod(ordinal, stamped_template("statefulset-create.json"), OF_THREE[ordinal], *arguments)


def test_the_pod_of_a_scale_is_denied_with_the_cure():
    review = pod_review(8, stamped_template("statefulset-create.json"))
    code, answer, _ = run_review(review)
    assert code == 1
    status = answer["response"]["status"]
    assert status["code"] == 422 and "reason" not in status
    assert CURE in status["message"] and "trainer-8" in status["message"]
    assert "3" in status["message"].replace(CURE, "")


@pytest.mark.parametrize("update", ["statefulset-update-restart.json", "statefulset-update-annotate.json"])
@pytest.mark.parametrize("ordinal", [5, 6, 7, 8])
def test_pods_of_the_updated_set(update, ordinal):
    """A restart, and an annotation that says the default, find a set of 4 without a stamp."""
    check_pod(ordinal, stamped_template(update), OF_FOUR[ordinal])


def test_without_a_cluster_domain_names_end_at_svc():
    metadata = stamped_template("statefulset-create.json", "--cluster-domain=cluster.local")
    assert "cluster.local" in metadata["annotations"][GROUP]
    code, answer, _ = run_review(recorded("statefulset-create.json"))
    stamped = patched(recorded("statefulset-create.json")["request"]["object"], answer)
    check_pod(6, stamped["spec"]["template"]["metadata"], OF_THREE[6].replace(".cluster.local", ""))


@pytest.mark.parametrize("ordinal", PODS)
def test_a_labelled_pod_without_a_stamp_is_denied_with_the_cure(ordinal):
    code, answer, _ = run_review(recorded(PODS[ordinal]))
    assert code == 1 and CURE in answer["response"]["status"]["message"]


def test_the_pod_of_an_indexed_job_is_denied_naming_the_kind():
    code, answer, _ = run_review(recorded("pod-create-indexed-job.json"))
    assert code == 1
    assert answer["response"]["status"]["code"] == 422
    assert "Job" in answer["response"]["status"]["message"]


OTHERS = sorted({path.name for path in RECORDED.glob("*.json")} - set(PODS.values()) - {
    "pod-create-indexed-job.json", "statefulset-create.json", "statefulset-update-restart.json",
    "statefulset-update-annotate.json"})


@pytest.mark.parametrize("name", OTHERS)
def test_every_other_recorded_review_is_allowed_unchanged(name):
    code, answer, _ = run_review((RECORDED / name).read_bytes())
    assert code == 0
    assert answer["response"] == {"uid": recorded(name)["request"]["uid"], "allowed": True}


def test_the_others_are_what_they_should_be():
    assert OTHERS == ["controllerrevision-create.json", "job-create.json", "pod-create-bare.json",
                      "pod-create-deployment.json", "pod-create-dry-run.json", "pod-delete.json",
                      "pod-ephemeralcontainers.json", "statefulset-scale.json"]
