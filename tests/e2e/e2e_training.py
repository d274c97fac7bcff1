# SPDX-License-Identifier: Apache-2.0
"""TensorFlow in the cluster, as an admin provides it, and what a training prints."""

import contextlib
import re
import shutil

from conftest import ROOT
from e2e_harness import HERE, drop_namespace, images, is_on_node, new_namespace

OVERLAYS = HERE / "training"
DONE = "training is done"


def packages():
    """Where TensorFlow is installed on this machine."""
    found = next((ROOT / "build/venv-tensorflow/lib").glob("python3*/site-packages"), None)
    assert found, "TensorFlow is missing: run make build/venv-tensorflow/.installed"
    return found


def bring_training_image(cluster):
    if not is_on_node(cluster, images.TRAINING):
        cluster.load_image(images.training_archive())


def volume(namespace, claim, folder):
    """A folder of this machine for a claim."""
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": f"{namespace.name}-{claim}"},
            "spec": {"capacity": {"storage": "10Gi"}, "accessModes": ["ReadWriteMany", "ReadOnlyMany"],
                     "hostPath": {"path": str(folder), "type": "DirectoryOrCreate"},
                     "claimRef": {"namespace": namespace.name, "name": claim}}}


def provide_volumes(namespace):
    """What the claims of a sample and of training/node are bound to; returns the folder of the output."""
    output = namespace.cluster.folder / "output" / namespace.name
    volumes = [volume(namespace, "training-output", output), volume(namespace, "training-packages", packages())]
    # Of a run before this one, where the cluster was kept.
    names = [each["metadata"]["name"] for each in volumes]
    namespace.cluster.kubectl("delete", "persistentvolumes", "--ignore-not-found", *names)
    shutil.rmtree(output, ignore_errors=True)
    namespace.cluster.apply(*volumes)
    return output


def epochs(log):
    """Epoch -> what a log says of it: {"loss": "1.6662", "accuracy": "0.6629", …}, digit for digit."""
    found, number = {}, None
    for line in log.splitlines():
        if begun := re.match("Epoch ([0-9]+)/", line):
            number = int(begun[1])
        elif number and " - loss: " in line:
            found[number] = dict(re.findall(r"(\w+): ([0-9.]+)", line))
    return found


class Training:
    """A sample that was applied in a namespace of its own; the pods are named as in the sample."""

    def __init__(self, namespace, sample):
        self.namespace = namespace
        self.output = provide_volumes(namespace)
        self.logs = {}
        namespace.done("apply", "-k", OVERLAYS / sample)

    def log(self, pod):
        """What a pod has printed; nothing where it does not run yet."""
        return self.namespace.kubectl("logs", pod).stdout

    def wait_for_line(self, line, *pods):
        for pod in pods:
            self.namespace.wait_for(lambda pod=pod: line in self.log(pod).splitlines(), f"{line!r} from {pod}", 240)

    def keep_logs(self, *pods):
        """Shows them too, for whoever reads the test's report."""
        for pod in pods:
            self.logs[pod] = self.log(pod)
            print(f"$ kubectl logs {pod}\n{self.logs[pod]}")

    def finish(self, *pods):
        """Waits until these pods are done."""
        self.wait_for_line(DONE, *pods)
        self.keep_logs(*pods)

    def restarts(self, pod):
        (status,) = self.namespace.get("pod", pod)["status"]["containerStatuses"]
        return status["restartCount"]


@contextlib.contextmanager
def training(cluster, name):
    """The sample of this name in training/, in a namespace called the same."""
    bring_training_image(cluster)
    namespace = new_namespace(cluster, f"training-{name}")
    try:
        yield Training(namespace, name)
    finally:
        drop_namespace(namespace)
