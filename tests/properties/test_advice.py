# SPDX-License-Identifier: Apache-2.0
"""When a StatefulSet is applied with a warning, and when without: what a sound set is told is nothing at all.

A word of each warning is looked for, not its text.
"""

import copy

import pytest

from driver import ask
from kubernetes_objects import INJECT, PREFIX, pod_of

pytestmark = pytest.mark.usefixtures("program")


def sound_set(**annotations):
    """Nothing to say about it."""
    return {
        "kind": "StatefulSet", "apiVersion": "apps/v1",
        "metadata": {"name": "trainer", "namespace": "ml", "annotations": {
            INJECT: "true", **{PREFIX + key.replace("_", "-"): value for key, value in annotations.items()}}},
        "spec": {
            "serviceName": "hl", "replicas": 3, "podManagementPolicy": "Parallel",
            "selector": {"matchLabels": {"app": "trainer"}},
            "template": {
                "metadata": {"labels": {"app": "trainer"}},
                "spec": {"dnsPolicy": "ClusterFirst", "enableServiceLinks": False,
                         "containers": [{"name": "tensorflow", "env": [{"name": "OMP_NUM_THREADS", "value": "1"}]}]},
            },
        },
    }


def template_spec(**fields):
    return lambda obj: obj["spec"]["template"]["spec"].update(fields)


def spec(**fields):
    return lambda obj: obj["spec"].update(fields)


def env(**variables):
    def change(obj):
        obj["spec"]["template"]["spec"]["containers"][0]["env"] += [
            {"name": name, "value": value} for name, value in variables.items()]
    return change


def annotated(**annotations):
    return lambda obj: obj["metadata"]["annotations"].update(
        {PREFIX + name.replace("_", "-"): value for name, value in annotations.items()})


def template_metadata(kind, **entries):
    return lambda obj: obj["spec"]["template"]["metadata"].setdefault(kind, {}).update(
        {name.replace("__", ".").replace("_", "/"): value for name, value in entries.items()})


def both(*changes):
    def change(obj):
        for each in changes:
            each(obj)
    return change


ISTIO = {"sidecar__istio__io_inject": "true"}

WARNED = {
    "one pod after the other": (spec(podManagementPolicy="OrderedReady"), "OrderedReady"),
    "one pod after the other by default": (lambda obj: obj["spec"].pop("podManagementPolicy"), "OrderedReady"),
    "the node's network": (template_spec(hostNetwork=True, dnsPolicy="ClusterFirstWithHostNet"), "hostNetwork"),
    "the node's network and names": (template_spec(hostNetwork=True), "ClusterFirstWithHostNet"),
    "the node's names": (template_spec(dnsPolicy="Default"), "dnsPolicy"),
    "no names": (template_spec(dnsPolicy="None"), "dnsPolicy"),
    "service links": (template_spec(enableServiceLinks=True), "enableServiceLinks"),
    "service links by default": (lambda obj: obj["spec"]["template"]["spec"].pop("enableServiceLinks"),
                                 "enableServiceLinks"),
    "an Istio annotation": (template_metadata("annotations", **ISTIO), "Istio"),
    "an Istio label": (template_metadata("labels", **ISTIO), "Istio"),
    "an Istio container": (lambda obj: obj["spec"]["template"]["spec"]["containers"].append({"name": "istio-proxy"}),
                           "Istio"),
    "a TF_CONFIG of its own": (env(TF_CONFIG="{}"), "tensorflow"),
    "ps without a chief": (annotated(cluster="worker:2,ps:1"), "chief"),
    "a name for which no pod is made": (lambda obj: obj["metadata"].update(name="t" * 53), "52"),
    "a gRPC proxy": (env(grpc_proxy="http://proxy:3128"), "no_proxy"),
    "an HTTPS proxy": (env(https_proxy="http://proxy:3128"), "no_proxy"),
    "an HTTP proxy": (env(http_proxy="http://proxy:3128", no_proxy="localhost"), "no_proxy"),
    "a proxy, and an exception that gRPC does not read": (
        env(http_proxy="http://proxy:3128", NO_PROXY=".cluster.local"), "no_proxy"),
    "a proxy, and the exception of full names for short ones": (
        both(env(http_proxy="http://proxy:3128", no_proxy=".cluster.local"), annotated(address="short")), "no_proxy"),
    "a proxy, and .svc for names that do not end there": (
        env(http_proxy="http://proxy:3128", no_proxy=".svc"), "no_proxy"),
    "settings without inject": (
        both(annotated(port="2222"), lambda obj: obj["metadata"]["annotations"].pop(INJECT)), "inject"),
}

NOT_WARNED = {
    "nothing": lambda obj: None,
    "an upper-case proxy": env(HTTP_PROXY="http://proxy:3128", HTTPS_PROXY="http://proxy:3128"),
    "a proxy with its exception": env(http_proxy="http://proxy:3128", no_proxy="localhost,.cluster.local"),
    "a proxy with its exception for short names": both(
        env(http_proxy="http://proxy:3128", no_proxy=".hl"), annotated(address="short")),
    "no Istio": template_metadata("annotations", sidecar__istio__io_inject="false"),
    "the node's network's own names": template_spec(dnsPolicy="ClusterFirstWithHostNet"),
    "ps with a chief": annotated(cluster="chief:1,worker:1,ps:1"),
    "a TF_CONFIG that is replaced": both(env(TF_CONFIG="{}"), annotated(overwrite="true")),
    "a TF_CONFIG of a container that is not asked for": both(
        lambda obj: obj["spec"]["template"]["spec"]["containers"].append(
            {"name": "sidecar", "env": [{"name": "TF_CONFIG", "value": "{}"}]}),
        annotated(containers="tensorflow")),
    "the longest name for which pods are made": lambda obj: obj["metadata"].update(name="t" * 52),
    "settings beside inject: false": annotated(inject="false", port="2222"),
    "no annotation": lambda obj: obj["metadata"].pop("annotations"),
}


@pytest.mark.parametrize("name", WARNED)
def test_warned(name):
    change, word = WARNED[name]
    obj = sound_set()
    change(obj)
    answer = ask(obj, domain="cluster.local")
    assert answer.allowed
    assert any(word in warning for warning in answer.warnings), answer.warnings
    if name != "the node's network and names":
        assert len(answer.warnings) == 1, answer.warnings


@pytest.mark.parametrize("name", NOT_WARNED)
def test_not_warned(name):
    obj = sound_set()
    NOT_WARNED[name](obj)
    answer = ask(obj, domain="cluster.local")
    assert answer.allowed and not answer.warnings, answer


def test_without_a_cluster_domain_the_exception_is_svc():
    obj = sound_set()
    env(grpc_proxy="http://proxy:3128", no_proxy=".svc")(obj)
    assert not ask(obj).warnings


def test_whoever_takes_the_annotation_away_is_told():
    stored = ask(sound_set()).object
    new = copy.deepcopy(stored)
    del new["metadata"]["annotations"][INJECT]
    answer = ask(new, stored)
    assert answer.allowed and answer.patch and len(answer.warnings) == 1


@pytest.mark.parametrize("name", WARNED)
def test_a_pod_is_never_warned(name):
    """Warnings on pods reach nobody."""
    obj = sound_set()
    WARNED[name][0](obj)
    obj["metadata"]["annotations"][INJECT] = "true"
    stored = ask(obj).object
    answer = ask(pod_of(stored, 0))
    assert answer.allowed and not answer.warnings
