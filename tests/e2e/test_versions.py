# SPDX-License-Identifier: Apache-2.0
"""The cluster is the one that was asked for: tests on another version would prove nothing about it."""

import json

import pytest
from conftest import pinned
from e2e_harness import KUBERNETES, run

pytest_plugins = ["e2e_harness"]

MAIN = pinned("k8s.io/kubernetes", "kubernetes")
CONTROL_PLANE = {"main": MAIN, "next": pinned("k8s.io/kubernetes", "kubernetes-next")}[KUBERNETES]


@pytest.mark.api
def test_the_api_server_its_controllers_and_kubectl_have_the_version_asked_for(cluster):
    said = json.loads(cluster.kubectl("version", "-o", "json").stdout)
    assert said["serverVersion"]["gitVersion"] == said["clientVersion"]["gitVersion"] == CONTROL_PLANE
    for name in ("kube-controller-manager", "kube-scheduler"):
        assert run(cluster.program(name), "--version").stdout == f"Kubernetes {CONTROL_PLANE}\n"


@pytest.mark.api
def test_the_node_is_of_the_main_version(cluster):
    found = json.loads(cluster.kubectl("get", "node", "node", "-o", "json").stdout)
    assert found["status"]["nodeInfo"]["kubeletVersion"] == MAIN
