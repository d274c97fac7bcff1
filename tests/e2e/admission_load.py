#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A steady stream of admissions through the API server: `admission_load.py KUBECONFIG NAMESPACE RATE`.

Half of them create an opted-in StatefulSet, half a pod of one, all as a dry run, so the webhook is asked and nothing is
stored. Each answer is looked at: `wrong` is an object that was admitted without the right stamps or TF_CONFIG, `failed`
one that was not admitted, with what the API server said, or without an answer from it.

Ends at SIGTERM or SIGINT and prints one JSON object. Every request has its time slot: after a slow one the stream
catches up, so that an outage is not hidden by a client that waits. Where a part of the stream breaks, `broken` says
why, and the exit code is 1.

With `--pause SECONDS` it ends by itself: after 3 s of admissions nothing is asked for so long, and then for 3 s more.
`idle` is how long it really was from the last answer to the next question. It goes on over new connections of its own,
as the API server may have closed the old ones: what was idle is those of the API server to the webhook.
"""

import argparse
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
PHASE = 3     # seconds of admissions before a pause, and after it
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
        authority = base64.b64decode(cluster["certificate-authority-data"]).decode()
        self.context = ssl.create_default_context(cadata=authority)
        with tempfile.NamedTemporaryFile() as file:
            file.write(base64.b64decode(user["client-certificate-data"]) + base64.b64decode(user["client-key-data"]))
            file.flush()
            self.context.load_cert_chain(file.name)
        url = urllib.parse.urlsplit(cluster["server"])
        self.host, self.port = url.hostname, url.port

    def connect(self):
        return http.client.HTTPSConnection(self.host, self.port, context=self.context, timeout=TIMEOUT)


class Load:
    def __init__(self, server, namespace, rate, pause=None):
        self.server, self.namespace, self.rate, self.pause = server, namespace, rate, pause
        self.lock = threading.Lock()
        self.ending = threading.Event()
        self.begin = time.monotonic()
        self.slots = 0
        self.sent = self.right = self.unanswered = 0
        self.failed, self.wrong, self.broken = [], [], []
        # Of a pause:
        self.first_after = None if pause is None else round(rate * PHASE)  # the number of the slot
        self.all_wait = threading.Barrier(WORKERS, self.plan_the_end_of_the_pause)
        self.answered_at = self.goes_on_at = self.asked_again_at = None

    def take_slot(self):
        with self.lock:
            self.slots += 1
            return self.slots - 1

    def plan_the_end_of_the_pause(self):
        self.goes_on_at = (self.answered_at or self.begin) + self.pause

    def due(self, number):
        """When the slot's time comes."""
        if self.goes_on_at is not None:
            return self.goes_on_at + (number - self.first_after) / self.rate
        return self.begin + number / self.rate

    def is_over(self, number):
        return self.ending.is_set() or (self.pause is not None and number >= 2 * self.first_after)

    def work(self):
        """One of the threads, whose end before the end of all is told."""
        try:
            self.ask_on()
        except threading.BrokenBarrierError:
            pass  # another one ended, or broke and told it
        except Exception as error:
            with self.lock:
                self.broken.append(f"{type(error).__name__}: {error}")
        finally:
            self.all_wait.abort()

    def ask_on(self):
        connection, rested = self.server.connect(), self.pause is None
        while True:
            number = self.take_slot()
            if not rested and number >= self.first_after:
                connection.close()  # it opens again by itself
                self.all_wait.wait()
                rested = True
            if self.is_over(number) or self.ending.wait(max(0, self.due(number) - time.monotonic())):
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
            status, body = answer.status, answer.read()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            self.count(number, begin, None, f"{type(error).__name__}: {error}", False)
            return self.server.connect()
        self.count(number, begin, status, *self.judge(status, body, is_right))
        return connection

    def judge(self, status, body, is_right):
        """What the answer says, and whether it is right. One that is no such object at all is not."""
        try:
            obj = json.loads(body)
            return obj.get("message", ""), status == 201 and is_right(obj, self.namespace)
        except Exception as error:
            return f"{type(error).__name__}: {error}: {body[:500]!r}", False

    def count(self, number, begin, status, message, right):
        entry = {"number": number, "at": round(begin - self.begin, 3), "status": status, "message": message,
                 "took": round(time.monotonic() - begin, 3)}
        with self.lock:
            self.sent += 1
            if self.goes_on_at is None:
                self.answered_at = time.monotonic()
            else:
                self.asked_again_at = min(begin, self.asked_again_at or begin)
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
        seconds = time.monotonic() - self.begin
        idle = self.asked_again_at - self.answered_at if self.asked_again_at and self.answered_at else 0
        return {"sent": self.sent, "right": self.right, "unanswered": self.unanswered,
                "seconds": round(seconds, 3), "idle": round(idle, 3),
                "rate": round(self.sent / (seconds - idle), 1), "broken": self.broken,
                "by_webhook": sum("failed calling webhook" in entry["message"] for entry in self.failed),
                "failed": len(self.failed), "wrong": len(self.wrong),
                "failures": self.failed[:KEPT], "wrongs": self.wrong[:KEPT]}


KINDS = [(("api/v1", "pods"), pod, pod_is_right), (("apis/apps/v1", "statefulsets"), stateful_set, set_is_right)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kubeconfig")
    parser.add_argument("namespace")
    parser.add_argument("rate", type=float)
    parser.add_argument("--pause", type=float, metavar="SECONDS")
    options = parser.parse_args()
    load = Load(Server(options.kubeconfig), options.namespace, options.rate, options.pause)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: load.ending.set())
    print("started", flush=True)
    report = load.run()
    print(json.dumps(report), flush=True)
    return 1 if report["broken"] else 0


if __name__ == "__main__":
    sys.exit(main())
