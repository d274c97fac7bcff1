#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""From an empty Kubernetes on this machine to a model that two pods have trained: each command as one types it, and
what it prints. At the end, by Ctrl-C too, nothing of the cluster stays.
"""

import os
import pathlib
import shlex
import signal
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/e2e")]

from e2e_harness import SYSTEM, WEBHOOK, Cluster, Webhook, bring_image, new_namespace  # noqa: E402
from e2e_training import DONE, OVERLAYS, bring_training_image, provide_volumes  # noqa: E402

WORKERS = 2


def say(text=""):
    print(text, flush=True)


class Demo:
    def __init__(self, cluster):
        self.cluster = cluster
        self.webhook = Webhook(cluster)

    def kubectl(self, *arguments):
        """One that fails has something to say too."""
        say(f"$ kubectl {shlex.join(map(str, arguments))}")
        finished = self.cluster.kubectl(*arguments, check=False, cwd=ROOT)
        say(f"{finished.stdout}{finished.stderr}")

    def follow(self, *arguments):
        """Logs until each worker has said that it is done: they stay up, so the logs do not end."""
        say(f"$ kubectl {shlex.join(arguments)}")
        done = 0
        with subprocess.Popen(self.cluster.kubectl_command(*arguments), stdout=subprocess.PIPE, text=True) as logs:
            for line in logs.stdout:
                say(line.rstrip())
                done += line.rstrip().endswith(DONE)
                if done == WORKERS:
                    break
            logs.terminate()
        say()
        if done < WORKERS:
            raise SystemExit("the training came to no end")

    def bring_images(self):
        say("# the images come onto the node, built where something is new")
        bring_image(self.cluster)
        bring_training_image(self.cluster)
        say()

    def install(self):
        say("# the webhook, installed as README.md says, from a copy of manifests/")
        self.webhook.copy_manifests()
        self.kubectl("apply", "-k", self.webhook.overlay.relative_to(ROOT))
        self.kubectl("-n", SYSTEM, "rollout", "status", f"deployment/{WEBHOOK}")
        self.webhook.wait_until_in_force()

    def train(self):
        say("# the sample with two workers, in a namespace with storage that both share")
        provide_volumes(new_namespace(self.cluster, "ml"))
        self.kubectl("-n", "ml", "apply", "-k", (OVERLAYS / "worker").relative_to(ROOT))
        self.kubectl("-n", "ml", "rollout", "status", "statefulset/trainer")
        self.kubectl("-n", "ml", "get", "pods", "-L", "tfconfig.dev/role,tfconfig.dev/index")
        self.kubectl("-n", "ml", "exec", "trainer-1", "--", "printenv", "TF_CONFIG")
        self.follow("-n", "ml", "logs", "-f", "-l", "tfconfig.dev/role=worker", "--prefix", "--tail=-1")
        self.kubectl("-n", "ml", "describe", "statefulset", "trainer")

    def mistake(self):
        say("# a mistake is explained where it is made")
        self.kubectl("-n", "ml", "annotate", "statefulset", "trainer", "tfconfig.dev/prot=3333")


def main():
    if os.geteuid() != 0:
        print("a cluster needs root, for its network and its mounts", file=sys.stderr)
        return 1
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # else a run that is told to end leaves its cluster
    cluster = Cluster("demo")
    demo = Demo(cluster)
    try:
        say("# a Kubernetes of one node starts")
        cluster.up()
        demo.kubectl("get", "nodes")
        demo.bring_images()
        demo.install()
        demo.train()
        demo.mistake()
    except KeyboardInterrupt:
        return 130
    finally:
        say("# the cluster ends; `make cluster` starts one that stays")
        cluster.down()
    return 0


if __name__ == "__main__":
    sys.exit(main())
