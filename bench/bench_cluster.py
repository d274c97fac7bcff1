#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What an admission adds to the creation of a pod, inside a real API server: a table and a plot (root).

    make bench-cluster [BENCH_PODS=150] [BENCH_ROUNDS=5] [BENCH_CONTAINERS=2]

The API server and etcd run alone, so that nobody else acts on the pods, and one client creates them over a connection
that is kept. All admissions are there all the time, and a label of the pod chooses one; each pod is created once with
each of them, in an order that changes. What one adds is its median of a round less the median without any.

The pod is the recorded one, in a group of 8 and in one of 1,600. Each of its containers gets the value, so what a large
group costs the API server goes by BENCH_CONTAINERS, 1 or 2. The constant patch tells how much of that is the API
server's own: the webhook that sends it has nothing to compute.

The tables are in build/bench/cluster.md, what was measured in cluster.json beside it, the plot in
bench/cluster.svg.
"""

import base64
import contextlib
import ctypes
import functools
import json
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import time

import report
import servers
from body import FOLDER, ROOT, STAMP, body
from conftest import pinned, program_path
from kubernetes_objects import INDEX, POD_INDEX, POD_NAME, ROLE, review_of

sys.path[:0] = [str(ROOT / "tests/e2e"), str(ROOT / "tests/e2e/cluster")]

import admission_load  # noqa: E402
import yaml  # noqa: E402
from cluster import Cluster, wait_for  # noqa: E402

PODS = int(os.environ.get("BENCH_PODS", "150"))
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "5"))
CONTAINERS = int(os.environ.get("BENCH_CONTAINERS", "2"))
SIZES = (8, 1600)
ORDINALS = range(STAMP["start"], STAMP["start"] + min(SIZES))  # of pods that are in each of the groups
THREADS = len(os.sched_getaffinity(0))
NAMESPACE = "ml"
PODS_PATH = f"/api/v1/namespaces/{NAMESPACE}/pods"
VARIANT = "variant"  # the label
CLONE_NEWNET = 0x40000000  # of sched.h

NONE, EMPTY, CONSTANT, OURS, GO, POLICY = ("none", "empty", "constant", "webhook", "go", "policy")
TITLES = {EMPTY: "empty webhook", CONSTANT: "constant patch", OURS: "tfconfig-webhook", GO: "Go webhook",
          POLICY: "CEL policy"}
WEBHOOKS = (EMPTY, CONSTANT, OURS, GO)
INJECTING = (CONSTANT, OURS, GO, POLICY)
BASES = (EMPTY, CONSTANT, POLICY)  # that the others are compared with


def enter_network(cluster):
    """All that this process opens and starts from now on is inside the cluster's network."""
    with open(f"/run/netns/{cluster.namespace}") as file:
        if ctypes.CDLL(None).setns(file.fileno(), CLONE_NEWNET) != 0:
            raise OSError("can't enter the cluster's network")


# Pods


def make_pod(variant, size, ordinal):
    """As the StatefulSet controller makes it from a template that is stamped."""
    pod = json.loads(body(size))["request"]["object"]
    del pod["metadata"]["managedFields"]
    del pod["spec"]["containers"][CONTAINERS:]
    name = f"trainer-{ordinal}"
    pod["metadata"]["name"] = pod["spec"]["hostname"] = name
    pod["metadata"]["labels"] |= {POD_INDEX: str(ordinal), POD_NAME: name, VARIANT: variant}
    return pod


def tf_config(size, ordinal):
    """What the pod of a group has to get, byte for byte."""
    start = STAMP["start"]
    peers = [f"trainer-{i}.trainer.{NAMESPACE}.svc.cluster.local:2222" for i in range(start, start + size)]
    return json.dumps({"cluster": {"worker": peers}, "task": {"type": "worker", "index": ordinal - start}},
                      separators=(",", ":"))


def is_right(pod, variant, size, ordinal):
    """True where an admission did what it is there for."""
    values = [entry.get("value") for container in pod["spec"]["containers"] for entry in container.get("env", [])
              if entry["name"] == "TF_CONFIG"]
    labels = [pod["metadata"]["labels"].get(key) for key in (ROLE, INDEX)]
    if variant not in INJECTING:
        return not values
    return values == [tf_config(size, ordinal)] * CONTAINERS and labels == ["worker", str(ordinal - STAMP["start"])]


class Client:
    """One connection to the API server, which is kept."""

    def __init__(self, cluster):
        self.connection = admission_load.Server(cluster.kubeconfig).connect()

    def ask(self, method, path, content=None):
        """The status, the answer, and the milliseconds until its last byte."""
        begin = time.perf_counter()
        self.connection.request(method, path, content, {"Content-Type": "application/json"})
        answer = self.connection.getresponse()
        text = answer.read()
        return answer.status, text, (time.perf_counter() - begin) * 1000

    def create(self, content):
        """The milliseconds that it took."""
        status, text, took = self.ask("POST", PODS_PATH, content)
        if status != 201:
            raise SystemExit(f"a pod was not created: {text.decode()}")
        return took

    def delete(self, name):
        status, text, _ = self.ask("DELETE", f"{PODS_PATH}/{name}?gracePeriodSeconds=0")
        if status != 200:
            raise SystemExit(f"a pod was not deleted: {text.decode()}")

    def try_out(self, content):
        """The pod as it would be created; None where it would not."""
        status, text, _ = self.ask("POST", f"{PODS_PATH}?dryRun=All", content)
        return json.loads(text) if status == 201 else None

    def calls(self, variant):
        """How often the API server has asked a webhook."""
        text = self.ask("GET", "/metrics")[1].decode()
        counts = re.findall(rf'^apiserver_admission_webhook_request_total{{.*name="{webhook_name(variant)}".*}} (\d+)',
                            text, re.MULTILINE)
        return sum(map(int, counts))


# Admissions


def webhook_name(variant):
    return f"{variant}.bench.tfconfig.dev"


def registration(variant, server, authority):
    """The pods webhook of the manifests, on this machine and for the variant's pods alone."""
    text = (ROOT / "manifests/base/mutating-webhook-configuration.yaml").read_text()
    (webhook,) = [each for each in yaml.safe_load(text)["webhooks"] if each["name"] == "pods.tfconfig.dev"]
    webhook["name"] = webhook_name(variant)
    webhook["clientConfig"] = {"url": server.url, "caBundle": base64.b64encode(authority.certificate).decode()}
    webhook["objectSelector"]["matchLabels"][VARIANT] = variant
    return {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingWebhookConfiguration",
            "metadata": {"name": variant}, "webhooks": [webhook]}


def policy():
    """The policy and what binds it, to its variant's pods alone."""
    rules, binding = yaml.safe_load_all((ROOT / "bench/policy.yaml").read_text())
    binding["spec"]["matchResources"] = {"objectSelector": {"matchLabels": {VARIANT: POLICY}}}
    return rules, binding


def write_patch(size):
    """The patch of the group's first pod; that of another differs in its index alone."""
    review = review_of(make_pod(CONSTANT, size, ORDINALS[0]), namespace=NAMESPACE)
    answer = subprocess.run([program_path(), "review"], input=json.dumps(review).encode(), capture_output=True,
                            check=True)
    path = FOLDER / f"patch-{size}"
    path.write_text(json.loads(answer.stdout)["response"]["patch"])
    return path


class Bench:
    """A cluster with everything that is measured; `stack` ends what is started."""

    def __init__(self, cluster, stack):
        self.cluster, self.stack = cluster, stack
        self.client = Client(cluster)
        certificate, key = cluster.authority.server("bench", ["localhost"], ["127.0.0.1"])
        (FOLDER / "tls.crt").write_bytes(certificate)
        (FOLDER / "tls.key").write_bytes(key)
        self.running = {EMPTY: self.start(servers.empty), OURS: self.start(servers.webhook),
                        GO: self.start(servers.controller_runtime)}

    def start(self, server, *arguments):
        return self.stack.enter_context(server(THREADS, *arguments))

    def acts(self, variant, size):
        """True where a pod of the variant gets what it shall get, from whom it shall get it."""
        before = self.client.calls(variant)
        pod = self.client.try_out(json.dumps(make_pod(variant, size, ORDINALS[0])))
        called = self.client.calls(variant) - before
        return pod and is_right(pod, variant, size, ORDINALS[0]) and called == (variant in WEBHOOKS)

    def register(self, size):
        """All admissions, each of which must be seen to act."""
        self.running[CONSTANT] = self.start(servers.empty, write_patch(size))
        self.cluster.apply(*(registration(variant, server, self.cluster.authority)
                             for variant, server in self.running.items()), *policy())
        for variant in (NONE, *TITLES):
            wait_for(functools.partial(self.acts, variant, size), f"{variant} acts", 30)

    def measure_round(self, contents):
        """The median of the milliseconds that a pod takes, by variant."""
        took = {variant: [] for variant in contents}
        order = list(contents)
        for count in range(PODS):
            ordinal = ORDINALS[count % len(ORDINALS)]
            # Nobody always comes after the same one, whose garbage the API server may still have to collect.
            random.shuffle(order)
            for variant in order:
                took[variant].append(self.client.create(contents[variant][ordinal]))
                self.client.delete(f"trainer-{ordinal}")
        return {variant: statistics.median(values) for variant, values in took.items()}

    def measure(self, size):
        """The medians of all rounds, by variant."""
        self.register(size)
        contents = {variant: {ordinal: json.dumps(make_pod(variant, size, ordinal)) for ordinal in ORDINALS}
                    for variant in (NONE, *TITLES)}
        rounds = [self.measure_round(contents) for _ in range(ROUNDS)]
        return {variant: [medians[variant] for medians in rounds] for variant in contents}


# Report


def added(medians):
    """What each admission adds, in each round."""
    return {variant: [value - none for value, none in zip(medians[variant], medians[NONE], strict=True)]
            for variant in TITLES}


def table(size, medians):
    costs = added(medians)

    def row(variant):
        ratios = ([mine / its for mine, its in zip(costs[variant], costs[base], strict=True)] for base in BASES)
        return [TITLES[variant], *(report.spread(values, "{:.2f}") for values in (costs[variant], *ratios))]

    header = [f"group of {size:,}", "added, ms", *(f"of the {TITLES[base]}" for base in BASES)]
    return (f"{report.markdown(header, map(row, TITLES))}\n"
            f"A pod without an admission takes {report.spread(medians[NONE], '{:.2f}')} ms.\n")


def write_report(results):
    version = pinned("k8s.io/kubernetes", "kubernetes-next").removeprefix("v")
    machine = (f"{report.machine()}, Kubernetes {version}; containers in a pod: {CONTAINERS}, "
               f"{ROUNDS} rounds of {PODS} pods")
    text = "\n".join([machine + "\n", *(table(size, medians) for size, medians in results.items())])
    print(text, end="")
    (FOLDER / "cluster.md").write_text(text)
    (FOLDER / "cluster.json").write_text(json.dumps({"machine": machine, "results": results}, indent=1) + "\n")
    groups = [(f"group of {size:,}, ms", "{:.2f}",
               [(TITLES[variant], values) for variant, values in added(medians).items()])
              for size, medians in results.items()]
    (ROOT / "bench/cluster.svg").write_text(report.bars_svg("Added to the creation of a pod", groups))


def main():
    # A run that is told to end takes its cluster down, as one that is interrupted does.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    FOLDER.mkdir(parents=True, exist_ok=True)
    cluster = Cluster("bench", "next")
    with contextlib.ExitStack() as stack:
        stack.callback(cluster.down)
        cluster.up_alone()
        enter_network(cluster)
        cluster.kubectl("create", "namespace", NAMESPACE)
        # Its controller is not there to make it.
        cluster.kubectl("--namespace", NAMESPACE, "create", "serviceaccount", "default")
        bench = Bench(cluster, stack)
        results = {size: bench.measure(size) for size in SIZES}
    write_report(results)


if __name__ == "__main__":
    sys.exit(main())
