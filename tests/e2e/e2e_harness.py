# SPDX-License-Identifier: Apache-2.0
"""One Kubernetes for all tests of a run, the webhook installed as an admin does it, and kubectl as a user runs it.

A test module says `pytest_plugins = ["e2e_harness"]`. E2E_KUBERNETES=next tests on the newer control plane. E2E_CLUSTER
names the cluster, so that two runs can go on at once; where E2E_KEEP is set, the cluster stays for the next run, which
then starts at once with the same webhook; E2E_IMAGE is a file with the webhook's image, where it shall not be built.
Needs root, and the programs of tests/e2e/cluster/build.

A test marked `api` is about what the API server and the controllers do: no container of it has to run. One marked `alone`
changes the webhook, or counts all that it does; the others may run side by side, in a cluster that is kept:
tests/e2e/run does both. A module's tests stay in one process, one after the other: they share what its fixtures made.
"""

import contextlib
import fcntl
import itertools
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import uuid

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "cluster"), str(HERE.parent / "image")]

import images  # noqa: E402
from cluster import E2E, NODE_ADDRESS, Cluster, run, wait_for  # noqa: E402, F401
from conftest import ROOT  # noqa: E402
from documentation import commands_below  # noqa: E402
from kubernetes_objects import GROUP, INDEX, INJECT, ROLE, ordinals_of  # noqa: E402, F401
from pki import Authority  # noqa: E402, F401

KEEP = bool(os.environ.get("E2E_KEEP"))
CLUSTER = os.environ.get("E2E_CLUSTER", "e2e")
RUN = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(uuid.uuid4()))  # the same for all processes of a run
KUBERNETES = os.environ.get("E2E_KUBERNETES", "main")
SYSTEM = "tfconfig-system"
WEBHOOK = "tfconfig-webhook"
WEBHOOK_PODS = "app.kubernetes.io/name=tfconfig-webhook"
DEBIAN = images.BASE
ARGUMENTS = "/spec/template/spec/containers/0/args"


# Objects


def container(name="tensorflow", **fields):
    """A container that does nothing, for ever."""
    return {"name": name, "image": DEBIAN, "imagePullPolicy": "Never", "command": ["sleep", "inf"], **fields}


def stateful_set(name="trainer", annotations=None, *, replicas=2, service=None, containers=None, pod=None,
                 template_annotations=None, **spec):
    """A StatefulSet that opts in and gives no cause for a warning; annotations by their short names."""
    keys = {"inject": "true", **(annotations or {})}
    template = {"metadata": {"labels": {"app": name}},
                "spec": {"enableServiceLinks": False, "terminationGracePeriodSeconds": 1,
                         "containers": containers or [container()], **(pod or {})}}
    if template_annotations:
        template["metadata"]["annotations"] = template_annotations
    return {"apiVersion": "apps/v1", "kind": "StatefulSet",
            "metadata": {"name": name, "annotations": {f"tfconfig.dev/{key}": value for key, value in keys.items()
                                                       if value is not None}},
            "spec": {"serviceName": service or name, "replicas": replicas, "podManagementPolicy": "Parallel",
                     "selector": {"matchLabels": {"app": name}}, "template": template, **spec}}


def service(name="trainer", selector=None):
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name},
            "spec": {"clusterIP": "None", "publishNotReadyAddresses": True, "selector": selector or {"app": name}}}


def deployment(name="web", labels=None):
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name},
            "spec": {"selector": {"matchLabels": {"app": name}},
                     "template": {"metadata": {"labels": {"app": name, **(labels or {})}},
                                  "spec": {"terminationGracePeriodSeconds": 1, "containers": [container()]}}}}


def bare_pod(name="bare", labels=None):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": labels or {}},
            "spec": {"terminationGracePeriodSeconds": 1, "containers": [container()]}}


def stamps_of(obj):
    """Our label and our annotation of a StatefulSet's template; None where they are not there."""
    metadata = obj["spec"]["template"]["metadata"]
    return metadata.get("labels", {}).get(INJECT), metadata.get("annotations", {}).get(GROUP)


def tf_config(cluster, role, index):
    """The value, byte for byte."""
    return json.dumps({"cluster": cluster, "task": {"type": role, "index": index}}, separators=(",", ":"))


# Talking to the cluster


class Namespace:
    """A namespace of a test, and what a user does in it."""

    def __init__(self, cluster, name):
        self.cluster = cluster
        self.name = name

    def kubectl(self, *arguments, **settings):
        """The finished process: returncode, stdout, stderr, whatever came out."""
        settings.setdefault("check", False)
        return self.cluster.kubectl("--namespace", self.name, *arguments, **settings)

    def done(self, *arguments, **settings):
        """Its output, of a command that must succeed."""
        return self.kubectl(*arguments, check=True, **settings).stdout

    def shell(self, command):
        """Runs a line that begins with `kubectl`, as it stands in a message; it must succeed."""
        words = shlex.split(command)
        assert words[0] == "kubectl", command
        return self.cluster.kubectl(*words[1:]).stdout

    def apply(self, *objects, flags=(), verb="apply"):
        """`kubectl apply -f`; the finished process."""
        documents = json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)})
        return self.kubectl(verb, "-f", "-", *flags, input=documents)

    def applied(self, *objects, **settings):
        """Of objects that must be taken; what kubectl said on stderr, where warnings are."""
        finished = self.apply(*objects, **settings)
        assert finished.returncode == 0, finished.stdout + finished.stderr
        return finished.stderr

    def diff(self, *objects):
        """What `kubectl diff` prints: nothing where an apply would change nothing."""
        finished = self.apply(*objects, verb="diff")
        assert finished.returncode in (0, 1), finished.stderr
        return finished.stdout

    def get(self, kind, name, *flags):
        found = self.kubectl("get", kind, name, "-o", "json", *flags)
        return json.loads(found.stdout) if found.returncode == 0 else None

    def list(self, kinds, *flags):
        return json.loads(self.done("get", kinds, "-o", "json", *flags))["items"]

    def wait_for(self, condition, what, patience=90):
        """The first true value of the condition; else it fails with what happened in the namespace."""
        try:
            return wait_for(condition, what, patience)
        except TimeoutError as error:
            state = self.kubectl("get", "statefulsets,pods", "-o", "wide").stdout
            events = self.kubectl("get", "events", "--sort-by=.lastTimestamp").stdout[-3000:]
            raise AssertionError(f"{error}\n{state}\n{events}") from None

    def pods(self, name):
        """The live pods of a set, by ordinal."""
        pods = [pod for pod in self.list("pods", "-l", f"app={name}") if "deletionTimestamp" not in pod["metadata"]]
        return sorted(pods, key=lambda pod: int(pod["metadata"]["name"].rpartition("-")[2]))

    def seen(self, name):
        """Waits until the controller has seen a set as it is now, and has made its revision and its pods; the set."""
        def as_it_is():
            found = self.get("statefulset", name)
            status = found["status"]
            return found if (status.get("observedGeneration") == found["metadata"]["generation"]
                             and status.get("replicas", 0) == found["spec"]["replicas"]) else None

        return self.wait_for(as_it_is, f"StatefulSet {name} is seen by its controller")

    def rolled_out(self, name):
        """Waits until every pod of a set runs its newest revision; the set."""
        def settled():
            found = self.get("statefulset", name)
            status, replicas = found["status"], found["spec"]["replicas"]
            whole = status.get("observedGeneration") == found["metadata"]["generation"] and all(
                status.get(key, 0) == replicas for key in ("replicas", "readyReplicas", "updatedReplicas"))
            return found if whole and status["currentRevision"] == status["updateRevision"] else None

        return self.wait_for(settled, f"StatefulSet {name} is rolled out")

    def revisions(self, name):
        """The names of a set's revisions: a new one means that its pods roll."""
        return sorted(revision["metadata"]["name"] for revision in self.list("controllerrevisions")
                      if any(owner["name"] == name for owner in revision["metadata"].get("ownerReferences", [])))

    def environment(self, pod, container=None):
        """A container's environment, read from inside its first process."""
        flags = ["-c", container] if container else []
        return parse_environment(self.done("exec", pod, *flags, "--", "cat", "/proc/1/environ"))

    def values(self, name, container=None):
        """Pod -> TF_CONFIG of each pod of a set that is rolled out."""
        found = self.rolled_out(name)
        pods = [f"{name}-{ordinal}" for ordinal in ordinals_of(found)]
        return {pod: self.environment(pod, container).get("TF_CONFIG") for pod in pods}

    def sizes(self, name, role="worker"):
        """How many peers of a role each pod of a set knows."""
        return [len(json.loads(value)["cluster"][role]) for value in self.values(name).values()]

    def given(self, name):
        """The TF_CONFIG of each live pod of a set, as the API server holds it; None where it has none."""
        environments = [pod["spec"]["containers"][0].get("env", []) for pod in self.pods(name)]
        return [next((json.loads(entry["value"]) for entry in entries if entry["name"] == "TF_CONFIG"), None)
                for entries in environments]

    def told(self, name, reason):
        """An object's events."""
        return self.list("events", "--field-selector", f"involvedObject.name={name},reason={reason}")

    def events(self, name, reason):
        """The messages of an object's events."""
        return [event["message"] for event in self.told(name, reason)]

    def denial(self, name, fragment, reason="FailedCreate"):
        """Waits for an event that holds the fragment; its message."""
        def found():
            return next((message for message in self.events(name, reason) if fragment in message), None)

        return self.wait_for(found, f"an event of {name} with {fragment!r}")

    def address(self, pod, service, port=2222):
        return f"{pod}.{service}.{self.name}.svc.cluster.local:{port}"

    def addresses(self, name, ordinals, service=None, port=2222):
        return [self.address(f"{name}-{ordinal}", service or name, port) for ordinal in ordinals]


def parse_environment(text):
    return dict(entry.split("=", 1) for entry in text.split("\0") if "=" in entry)


def cure_in(message):
    """The command that a denial, or an event, tells to run."""
    (command,) = re.findall(r"run (kubectl -n \S+ rollout restart statefulset/[a-z0-9-]+)", message)
    return command


class Webhook:
    """The installed webhook, and what an admin does with it."""

    def __init__(self, cluster, overlay="default"):
        self.cluster = cluster
        self.folder = cluster.folder / f"install-{overlay}"
        self.overlay = self.folder / "manifests/overlays" / overlay
        self.system = Namespace(cluster, SYSTEM)

    def copy_manifests(self):
        """As they are; a test may change the copy."""
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(ROOT / "manifests", self.folder / "manifests")

    def look_longer(self):
        """Gives the looks at the cluster, for advice at `kubectl apply`, ten times as long: where tests run side by side
        the API server has not always answered in 300 milliseconds, and then nothing is said."""
        path = self.folder / "manifests/base/deployment.yaml"
        text = path.read_text()
        assert text.count("        - serve\n") == 1
        path.write_text(text.replace("        - serve\n", "        - serve\n        - --advice-timeout=3000\n"))

    def mint(self):
        """Certificates for the static overlay, made as docs/install.md says, in a copy of the manifests."""
        if not self.folder.exists():
            self.copy_manifests()
        (self.folder / "certs").mkdir(exist_ok=True)
        shutil.copy(ROOT / "certs/kustomization.yaml", self.folder / "certs")
        run(ROOT / "build/tfconfig-webhook", "certs", "--out", self.folder / "certs", "--service", WEBHOOK,
            "--namespace", SYSTEM, "--cluster-domain", "cluster.local", "--force")

    def install(self):
        said = self.cluster.kubectl("apply", "-k", self.overlay).stdout
        self.wait_until_in_force()
        return said

    def uninstall(self):
        return self.cluster.kubectl("delete", "-k", self.overlay, "--wait=true").stdout

    def probe(self):
        """`kubectl create --dry-run=server` of an opted-in set: the finished process."""
        return Namespace(self.cluster, "default").apply(
            stateful_set("probe"), verb="create", flags=["--dry-run=server", "-o", "json", "--request-timeout=20s"])

    def injects(self):
        """A new registration takes a moment to act."""
        probed = self.probe()
        if probed.returncode != 0:
            return False
        (obj,) = (json.loads(probed.stdout).get("items") or [json.loads(probed.stdout)])
        return stamps_of(obj)[0] == "true"

    def pods(self):
        return self.system.list("pods", "-l", WEBHOOK_PODS)

    def log(self, pod):
        return [json.loads(line) for line in self.system.done("logs", pod, "--tail=-1").splitlines()]

    def said(self, message):
        """Pod -> how often its log says it."""
        names = [pod["metadata"]["name"] for pod in self.pods()]
        return {name: sum(line["msg"].startswith(message) for line in self.log(name)) for name in names}

    def settled(self):
        """All pods of the Deployment are its newest, ready, and no older one is left."""
        found = self.system.get("deployment", WEBHOOK)
        status, replicas = found["status"], found["spec"]["replicas"]
        return (status.get("observedGeneration") == found["metadata"]["generation"] and len(self.pods()) == replicas
                and status.get("updatedReplicas", 0) == status.get("availableReplicas", 0) == replicas)

    def end_old_pods(self):
        """Those that are told to stop serve on for a while; nobody needs that here."""
        leaving = [pod["metadata"]["name"] for pod in self.pods() if "deletionTimestamp" in pod["metadata"]]
        if leaving:
            self.system.kubectl("delete", "pod", "--grace-period=1", "--wait=false", *leaving)

    def wait_until_in_force(self):
        def ready():
            self.end_old_pods()
            return self.settled()

        self.system.wait_for(ready, "the webhook is rolled out")
        self.system.wait_for(self.injects, "a StatefulSet is stamped")

    def change_arguments(self, *arguments):
        """Restarts the webhook with more arguments than it has in the manifests."""
        patch = [{"op": "add", "path": f"{ARGUMENTS}/-", "value": argument} for argument in arguments]
        self.system.done("patch", "deployment", WEBHOOK, "--type=json", "-p", json.dumps(patch))
        self.wait_until_in_force()

    def restore(self):
        """As the manifests say, whatever a test did."""
        self.cluster.kubectl("apply", "-k", self.overlay, "--server-side", "--force-conflicts",
                             "--field-manager=kubectl-client-side-apply")
        self.cluster.kubectl("apply", "-k", self.overlay)
        self.wait_until_in_force()

    @contextlib.contextmanager
    def down(self):
        """No replica, as in an outage."""
        self.system.done("scale", "deployment", WEBHOOK, "--replicas=0")

        def gone():
            self.end_old_pods()
            return not self.pods()

        self.system.wait_for(gone, "the webhook is gone")
        self.system.wait_for(lambda: self.probe().returncode != 0, "an opted-in set is refused")
        try:
            yield
        finally:
            self.system.done("scale", "deployment", WEBHOOK, "--replicas=2")
            self.wait_until_in_force()


def run_documented(cluster, title, folder):
    """The commands below a heading of the documentation, as they stand there."""
    kubectl = f'kubectl() {{ {shlex.join(map(str, cluster.kubectl_command()))} "$@"; }}\n'
    print(run("bash", "-euo", "pipefail", "-c", kubectl + commands_below(title), cwd=folder).stdout)


def is_on_node(cluster, image):
    return image in cluster.ctr("images", "list", "--quiet").stdout.split()


def bring_image(cluster):
    """The project's image, on the node under the name that the manifests ask for."""
    name = f"docker.io/library/{WEBHOOK}:{images.version()}"
    if not is_on_node(cluster, name):
        cluster.load_image(os.environ.get("E2E_IMAGE") or images.webhook_archive(name))
    return name


# Fixtures


@contextlib.contextmanager
def first_of_the_run(what):
    """Whether this process is the first of the run to come here for something; others wait until it is done with it."""
    with open(E2E / f"{CLUSTER}.{what}", "a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        yield file.read() != RUN
        file.truncate(0)
        file.write(RUN)


def start(cluster):
    cluster.up()
    cluster.load_image(images.base_archive())


@pytest.fixture(scope="session")
def cluster():
    cluster = Cluster(CLUSTER, KUBERNETES)
    assert all(cluster.program(name).exists() for name in ("kubelet", "kubectl")), (
        f"the cluster's programs are missing: run tests/e2e/cluster/build {KUBERNETES}")
    if KEEP:
        with first_of_the_run("started") as first:
            if first and not (cluster.kubeconfig.exists() and cluster.node_is_ready()):
                start(cluster)
        yield cluster
        return
    # A run that is told to end takes its cluster down, as one that is interrupted does.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        start(cluster)
        yield cluster
    finally:
        cluster.down()


@pytest.fixture(scope="session")
def webhook(cluster):
    """The webhook, installed."""
    webhook = Webhook(cluster)
    with first_of_the_run("installed") as first:
        if first:
            bring_image(cluster)
            webhook.copy_manifests()
            if os.environ.get("PYTEST_XDIST_WORKER"):
                webhook.look_longer()
            webhook.install()
    return webhook


def new_namespace(cluster, name):
    """A namespace in which pods can be made at once."""
    cluster.kubectl("delete", "namespace", name, "--ignore-not-found")
    cluster.kubectl("create", "namespace", name)
    namespace = Namespace(cluster, name)
    namespace.wait_for(lambda: namespace.get("serviceaccount", "default"), "the namespace has its service account")
    return namespace


def drop_namespace(namespace):
    namespace.cluster.kubectl("delete", "namespace", namespace.name, "--wait=false", check=False)


numbers = itertools.count(1)


def namespace_name(text):
    """Of a test's name; with a number, as the cases of one test are told apart at the end of a long name, and with the
    process's name, where several count."""
    words = re.sub("[^a-z0-9]+", "-", text.removeprefix("test_").lower())
    return f"{words[:40].strip('-')}-{os.environ.get('PYTEST_XDIST_WORKER', '')}{next(numbers)}"


@pytest.fixture
def namespace(cluster, webhook, request):
    """A fresh namespace, named after the test."""
    namespace = new_namespace(cluster, namespace_name(request.node.name))
    yield namespace
    drop_namespace(namespace)


# Reports


def pytest_collection_modifyitems(items):
    for item in items:
        if "cluster" in item.fixturenames:
            # The first run builds the base and the image in a fixture: that is not the test's time.
            item.add_marker(pytest.mark.timeout(300, func_only=True))


def tail(path, lines):
    return "\n".join(path.read_text(errors="replace").splitlines()[-lines:])


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    cluster = item.funcargs.get("cluster") if hasattr(item, "funcargs") else None
    if not report.failed or not isinstance(cluster, Cluster):
        return
    for what in (["get", "pods", "--namespace", SYSTEM, "-o", "wide"],
                 ["logs", "--namespace", SYSTEM, "-l", WEBHOOK_PODS, "--prefix", "--tail=30"]):
        with contextlib.suppress(subprocess.SubprocessError, OSError):
            finished = cluster.kubectl(*what, "--request-timeout=10s", check=False)
            report.sections.append((f"kubectl {' '.join(what)}", finished.stdout + finished.stderr))
    for log in sorted(cluster.folder.glob("*.log")):
        report.sections.append((log.name, tail(log, 12)))
