#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The webhook at work, without a cluster: this script plays the API server and the StatefulSet controller.

It mints certificates, starts the webhook over TLS, sends it the StatefulSet of a sample, puts the answer's patch on it,
makes the pods as the controller would, sends those too, and prints the TF_CONFIG that each pod ends up with.
"""

import base64
import contextlib
import http.client
import json
import pathlib
import signal
import socket
import ssl
import subprocess
import sys
import uuid

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from conftest import program_path  # noqa: E402
from kubernetes_objects import ordinals_of, patched, pod_of, review_of, tf_config_of  # noqa: E402

FOLDER = ROOT / "build" / "demo"
SAMPLE = ROOT / "manifests" / "samples" / "worker"
SERVICE, NAMESPACE = "tfconfig-webhook", "tfconfig-system"


def say(text=""):
    print(text, flush=True)


def mint():
    subprocess.run([program_path(), "certs", "--out", str(FOLDER), "--service", SERVICE, "--namespace", NAMESPACE,
                    "--cluster-domain", "cluster.local", "--force"], check=True, stdout=subprocess.DEVNULL)


class Webhook:
    """The server as a child process, on ports that the system picks."""

    def __init__(self):
        self.process = subprocess.Popen(
            [program_path(), "serve", "--tls-cert", str(FOLDER / "tls.crt"), "--tls-key", str(FOLDER / "tls.key"),
             "--listen", "127.0.0.1:0", "--metrics-listen", "127.0.0.1:0", "--cluster-domain", "cluster.local",
             "--drain", "0s"], stdout=subprocess.PIPE, text=True)
        for line in self.process.stdout:
            event = json.loads(line)
            if event["msg"] == "serving":
                self.port = int(event["listen"].rpartition(":")[2])
                return
        raise SystemExit("the webhook did not start")

    def connect(self):
        """TLS as the API server does it: the CA from the caBundle, the Service's name as the server's."""
        context = ssl.create_default_context(cafile=str(FOLDER / "ca.crt"))
        raw = socket.create_connection(("127.0.0.1", self.port), timeout=10)
        connection = http.client.HTTPSConnection(f"{SERVICE}.{NAMESPACE}.svc", context=context)
        connection.sock = context.wrap_socket(raw, server_hostname=f"{SERVICE}.{NAMESPACE}.svc")
        return connection

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.stdout.read()
        return self.process.wait(timeout=30)


def decoded(answer):
    """The answer with its patch as a list, as kubernetes_objects.patched wants it."""
    response = answer["response"]
    if "patch" in response:
        response["patch"] = json.loads(base64.b64decode(response["patch"]))
    return answer


def admit(connection, obj, old=None):
    """Sends an object through the webhook; returns (the object after it, the answer)."""
    review = review_of(obj, old, uid=str(uuid.uuid4()))
    connection.request("POST", "/mutate?timeout=5s", json.dumps(review), {"Content-Type": "application/json"})
    answer = decoded(json.load(connection.getresponse()))
    assert answer["response"]["uid"] == review["request"]["uid"]
    return patched(obj, answer), answer["response"]


def sample_stateful_set():
    documents = [document for path in sorted(SAMPLE.glob("*.yaml")) for document in yaml.safe_load_all(path.read_text())]
    stateful_set = next(document for document in documents if document and document["kind"] == "StatefulSet")
    stateful_set["metadata"]["namespace"] = "ml"
    return stateful_set


def show_pod(pod):
    labels = pod["metadata"]["labels"]
    say(f"pod/{pod['metadata']['name']}  role={labels['tfconfig.dev/role']} index={labels['tfconfig.dev/index']}")
    say(f"  TF_CONFIG={tf_config_of(pod)}")


def play(connection):
    stateful_set = sample_stateful_set()
    name = stateful_set["metadata"]["name"]
    annotations = {key: value for key, value in stateful_set["metadata"]["annotations"].items()
                   if key.startswith("tfconfig.dev/")}
    say(f"$ kubectl -n ml apply -k {SAMPLE.relative_to(ROOT)}")
    say(f"  annotations: {json.dumps(annotations)}, replicas: {stateful_set['spec']['replicas']}")
    stamped, response = admit(connection, stateful_set)
    for warning in response.get("warnings", []):
        say(f"Warning: {warning}")
    if not response["allowed"]:
        raise SystemExit(response["status"]["message"])
    say(f"statefulset.apps/{name} created")
    say()
    for ordinal in ordinals_of(stamped):
        pod, response = admit(connection, pod_of(stamped, ordinal))
        if not response["allowed"]:
            raise SystemExit(response["status"]["message"])
        show_pod(pod)
    say()
    say("and a mistake is explained where it is made:")
    stateful_set["metadata"]["annotations"]["tfconfig.dev/cluster"] = "master:1,worker:2"
    _, response = admit(connection, stateful_set)
    say(f"  {response['status']['message']}")


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    mint()
    webhook = Webhook()
    try:
        with contextlib.closing(webhook.connect()) as connection:
            say(f"the webhook serves TLS on 127.0.0.1:{webhook.port}")
            say()
            play(connection)
    finally:
        code = webhook.stop()
    return code


if __name__ == "__main__":
    sys.exit(main())
