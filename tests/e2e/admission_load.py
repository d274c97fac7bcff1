#!/usr/bin/env python3
"""A steady stream of admissions through the API server: `admission_load.py KUBECONFIG NAMESPACE RATE`.

Half of them create an opted-in StatefulSet, half a pod of one, all as a dry run, so the webhook is asked and nothing is
stored. Each answer is looked at: `wrong` is an object that was admitted without the right stamps or TF_CONFIG, `failed`
one that was not admitted, with what the API server said, or without an answer from it.

Ends at SIGTERM or SIGINT and prints one JSON object. Every request has its time slot: after a slow one the stream catches
up, so that an outage is not hidden by a client that waits.
"""

import base64
import http.client
import json
import signal
import ssl
import sys
import tempfile
import threading
import time
import urllib.parse

import yaml

WORKERS = 8
TIMEOUT = 40  # seconds: a paused etcd holds a request that long
KEPT = 2000   # failures that are written out
STAMP = {"version": 1, "group": "worker=trainer.trainer:2", "start": 0, "followsReplicas": True, "port": 2222,
         "address": "fqdn", "domain": "cluster.local", "sparse": False, "overwrite": False}


def stateful_set(number):
    return {"apiVersion": "apps/v1", "kind": "StatefulSet",
            "metadata": {"name": f"load-{number}", "annotations": {"tfconfig.dev/inject": "true"}},
            "spec": {"serviceName": "trainer", "replicas": 2, "podManagementPolicy": "Parallel",
                     "selector": {"matchLabels": {"app": "trainer"}},
                     "template": {"metadata": {"labels": {"app": "trainer"}},
                                  "spec": {"enableServiceLinks": False,
                                           "containers": [{"name": "tensorflow", "image": "none"}]}}}}


def pod(number):
    owner = {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "trainer", "controller": True,
             "uid": "3a6c1f10-0000-4000-8000-000000000000"}
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": f"trainer-{number % 2}", "ownerReferences": [owner],
                         "labels": {"app": "trainer", "tfconfig.dev/inject": "true"},
                         "annotations": {"tfconfig.dev/group": json.dumps(STAMP, separators=(",", ":"))}},
            "spec": {"subdomain": "trainer", "hostname": f"trainer-{number % 2}",
                     "containers": [{"name": "tensorflow", "image": "none"}]}}


def set_is_right(obj, namespace):
    metadata = obj["spec"]["template"]["metadata"]
    group = json.loads(metadata.get("annotations", {}).get("tfconfig.dev/group", "{}"))
    return (metadata["labels"].get("tfconfig.dev/inject") == "true"
            and group.get("group") == f"worker={obj['metadata']['name']}.trainer:2")


def pod_is_right(obj, namespace):
    name = obj["metadata"]["name"]
    addresses = [f"trainer-{i}.trainer.{namespace}.svc.cluster.local:2222" for i in range(2)]
    wanted = {"cluster": {"worker": addresses}, "task": {"type": "worker", "index": int(name[-1])}}
    values = [entry["value"] for entry in obj["spec"]["containers"][0].get("env", []) if entry["name"] == "TF_CONFIG"]
    return len(values) == 1 and json.loads(values[0]) == wanted


class Server:
    """The API server of a kubeconfig, for a user with a client certificate."""

    def __init__(self, kubeconfig):
        with open(kubeconfig) as file:
            config = yaml.safe_load(file)
        cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
        self.context = ssl.create_default_context(cadata=base64.b64decode(cluster["certificate-authority-data"]).decode())
        with tempfile.NamedTemporaryFile() as file:
            file.write(base64.b64decode(user["client-certificate-data"]) + base64.b64decode(user["client-key-data"]))
            file.flush()
            self.context.load_cert_chain(file.name)
        url = urllib.parse.urlsplit(cluster["server"])
        self.host, self.port = url.hostname, url.port

    def connect(self):
        return http.client.HTTPSConnection(self.host, self.port, context=self.context, timeout=TIMEOUT)


class Load:
    def __init__(self, server, namespace, rate):
        self.server, self.namespace, self.rate = server, namespace, rate
        self.lock = threading.Lock()
        self.ending = threading.Event()
        self.begin = time.monotonic()
        self.slots = 0
        self.sent = self.right = self.unanswered = 0
        self.failed, self.wrong = [], []

    def take_slot(self):
        with self.lock:
            self.slots += 1
            return self.slots - 1

    def work(self):
        connection = self.server.connect()
        while True:
            number = self.take_slot()
            if self.ending.wait(max(0, self.begin + number / self.rate - time.monotonic())):
                connection.close()
                return
            connection = self.admit(connection, number)

    def admit(self, connection, number):
        """Sends one; returns the connection for the next."""
        resource, make, is_right = KINDS[number % 2]
        path = f"/{resource[0]}/namespaces/{self.namespace}/{resource[1]}?dryRun=All"
        begin = time.monotonic()
        try:
            connection.request("POST", path, json.dumps(make(number)), {"Content-Type": "application/json"})
            answer = connection.getresponse()
            status, obj = answer.status, json.load(answer)
        except (OSError, http.client.HTTPException, ValueError) as error:
            connection.close()
            self.count(number, begin, None, f"{type(error).__name__}: {error}", False)
            return self.server.connect()
        admitted = status == 201
        self.count(number, begin, status, obj.get("message", ""), admitted and is_right(obj, self.namespace))
        return connection

    def count(self, number, begin, status, message, right):
        entry = {"number": number, "at": round(begin - self.begin, 3), "status": status, "message": message,
                 "took": round(time.monotonic() - begin, 3)}
        with self.lock:
            self.sent += 1
            if right:
                self.right += 1
            elif status is None:
                self.unanswered += 1
                self.failed.append(entry)
            else:
                (self.wrong if status == 201 else self.failed).append(entry)

    def run(self):
        threads = [threading.Thread(target=self.work) for _ in range(WORKERS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return {"sent": self.sent, "right": self.right, "unanswered": self.unanswered,
                "seconds": round(time.monotonic() - self.begin, 3),
                "by_webhook": sum("failed calling webhook" in entry["message"] for entry in self.failed),
                "failed": len(self.failed), "wrong": len(self.wrong),
                "failures": self.failed[:KEPT], "wrongs": self.wrong[:KEPT]}


KINDS = [(("api/v1", "pods"), pod, pod_is_right), (("apis/apps/v1", "statefulsets"), stateful_set, set_is_right)]


def main(arguments):
    if len(arguments) != 3:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    load = Load(Server(arguments[0]), arguments[1], float(arguments[2]))
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: load.ending.set())
    print("started", flush=True)
    print(json.dumps(load.run()), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
