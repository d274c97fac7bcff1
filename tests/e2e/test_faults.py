# SPDX-License-Identifier: Apache-2.0
"""A webhook's worst days, each under 50 admissions a second: none is wrong, and none fails but where that can't be.

By `make e2e-faults`: they take their time.
"""

import base64
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest
from e2e_harness import (HERE, NODE_ADDRESS, ROOT, SYSTEM, WEBHOOK, Authority, Webhook, drop_namespace, images,
                         is_on_node, new_namespace, run_documented, service, stateful_set)

pytest_plugins = ["e2e_harness"]
pytestmark = pytest.mark.faults

FULL = bool(os.environ.get("E2E_FULL"))  # else the longest are shorter
RATE = 50
CA_SECRET = "tfconfig-webhook-ca"
SERVES = "a new certificate is in use"
TROUBLE = "the certificates need attention; the one in use stays in use"
MENDED = 12  # seconds until a changed caBundle acts again, at most
TABLE = []


def webhook_metrics(cluster):
    """What the API server counts of our webhooks: calls that failed, and refusals that it blames on a failed call."""
    text = cluster.kubectl("get", "--raw", "/metrics").stdout
    failed = 0
    for labels, value in re.findall(r'^apiserver_admission_webhook_request_total\{(.*tfconfig\.dev.*)\} (\S+)$', text,
                                    re.M):
        if re.search(r'code="(5..|0)"', labels):
            failed += float(value)
    for labels, value in re.findall(r'^apiserver_admission_webhook_rejection_count\{(.*tfconfig\.dev.*)\} (\S+)$', text,
                                    re.M):
        if 'error_type="calling_webhook_error"' in labels:
            failed += float(value)
    return failed


class Report(dict):
    """What the load has seen, when it has ended; `began` is its clock at the start."""

    def failures_between(self, begin, end):
        return [entry for entry in self["failures"] if begin <= entry["at"] <= end]


def tell(cluster, row):
    """A row of the table, for whoever reads the report."""
    TABLE.append(row)
    print(json.dumps(row))
    (cluster.folder / "faults.json").write_text(json.dumps(TABLE, indent=1))


@contextlib.contextmanager
def load(cluster, fault, *, ours_counted=True, may_be_slow=False, name="load", pause=None):
    """Admissions from here to the end of the block. Yields the report, which is filled at the end, and told. With a
    pause they end by themselves, and the block has nothing to do."""
    namespace = new_namespace(cluster, name)
    report = Report(began=time.monotonic())
    before = webhook_metrics(cluster)
    arguments = [cluster.kubeconfig, namespace.name, RATE, *([] if pause is None else ["--pause", pause])]
    command = cluster.enter(sys.executable, HERE / "admission_load.py", *arguments)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "started\n"
            yield report
        finally:
            if pause is None:
                process.send_signal(signal.SIGTERM)
            report.update(json.loads(process.stdout.read()))
    report["counted"] = webhook_metrics(cluster) - before if ours_counted else None
    drop_namespace(namespace)
    tell(cluster, {"fault": fault, **{key: report[key] for key in ("sent", "rate", "failed", "by_webhook", "wrong",
                                                                   "counted")}})
    for entry in (report["failures"] + report["wrongs"])[:20]:
        print(entry)
    assert process.returncode == 0, report["broken"]
    assert report["sent"] > 0 and report["wrong"] == 0
    # Each has its time: less than half of them would be a load that was hardly there.
    assert may_be_slow or report["rate"] >= RATE / 2


def unharmed(report):
    assert report["failed"] == 0, report["failures"][:3]
    assert report["counted"] == 0


def secret(webhook):
    found = webhook.system.get("secret", CA_SECRET) or {}
    return {key: base64.b64decode(value).decode() for key, value in (found.get("data") or {}).items()}


def registration(webhook):
    return json.loads(webhook.cluster.kubectl("get", "mutatingwebhookconfiguration", WEBHOOK, "-o", "json").stdout)


def bundles(webhook):
    return [base64.b64decode(hook["clientConfig"].get("caBundle", "")).decode()
            for hook in registration(webhook)["webhooks"]]


def count_in_logs(webhook, msg):
    """How often each pod says it."""
    return [sum(line["msg"] == msg for line in webhook.log(pod["metadata"]["name"])) for pod in webhook.pods()]


def wait_for_more(webhook, msg, before, more=1, patience=90):
    """Until each pod has said it so many times more than before."""
    webhook.system.wait_for(lambda: all(now >= then + more for now, then in zip(count_in_logs(webhook, msg), before)),
                            f"each replica says {more} times: {msg}", patience)


def rotate(webhook):
    """Asks for a rotation as docs/operations.md says, and waits until all serve by the new CA."""
    before, signed = secret(webhook)["ca.crt"], count_in_logs(webhook, SERVES)
    webhook.system.done("annotate", "secret", CA_SECRET, "tfconfig.dev/rotate=now")
    webhook.system.wait_for(lambda: secret(webhook).get("ca.crt", before) != before, "another CA signs")
    wait_for_more(webhook, SERVES, signed)


@pytest.fixture
def short_lived(webhook):
    """Certificates that live for seconds."""
    webhook.change_arguments("--leaf-life=12s", "--ca-life=120s", "--clock-margin=0", "--ca-settle=2s")
    yield webhook
    webhook.restore()


# 1


def test_01_rollout_restart_three_times(cluster, webhook):
    with load(cluster, "1. rollout restart, three times") as report:
        for _ in range(3):
            webhook.system.done("rollout", "restart", f"deployment/{WEBHOOK}")
            webhook.system.done("rollout", "status", f"deployment/{WEBHOOK}", "--timeout=120s")
        webhook.system.wait_for(webhook.settled, "the last old pod is gone")
    unharmed(report)


# 2


def evict(webhook, pod):
    """Through the eviction API, as often as the disruption budget makes it wait."""
    body = json.dumps({"apiVersion": "policy/v1", "kind": "Eviction",
                       "metadata": {"name": pod, "namespace": SYSTEM}})
    path = f"/api/v1/namespaces/{SYSTEM}/pods/{pod}/eviction"

    def accepted():
        finished = webhook.cluster.kubectl("create", "--raw", path, "-f", "-", input=body, check=False)
        assert finished.returncode == 0 or "disruption budget" in finished.stderr, finished.stderr
        return finished.returncode == 0

    webhook.system.wait_for(accepted, f"{pod} is evicted")


def test_02_evictions(cluster, webhook):
    with load(cluster, "2. both pods evicted, twice") as report:
        for _ in range(2):
            for pod in [pod["metadata"]["name"] for pod in webhook.pods()]:
                evict(webhook, pod)
        webhook.system.wait_for(webhook.settled, "two pods are ready")
    unharmed(report)


# 3, 4


def test_03_the_ca_is_rotated_twice_in_a_row(cluster, webhook):
    with load(cluster, "3. CA rotation, twice in a row") as report:
        for _ in range(2):
            rotate(webhook)
    unharmed(report)
    assert "next.crt" not in secret(webhook)
    print(*[json.dumps(line) for line in webhook.log(webhook.pods()[0]["metadata"]["name"]) if "step" in line],
          sep="\n")


def test_04_certificates_are_renewed(cluster, short_lived):
    before = count_in_logs(short_lived, SERVES)
    with load(cluster, "4. certificates renewed, three times in each pod") as report:
        wait_for_more(short_lived, SERVES, before, more=3, patience=120)
    unharmed(report)


# 5


def change_bundle(webhook, bundle):
    patch = [{"op": "replace" if bundle else "remove", "path": f"/webhooks/{i}/clientConfig/caBundle",
              **({"value": base64.b64encode(bundle).decode()} if bundle else {})} for i in range(2)]
    webhook.cluster.kubectl("patch", "mutatingwebhookconfiguration", WEBHOOK, "--type=json", "-p", json.dumps(patch))


def test_05_a_changed_bundle_acts_again_in_seconds(cluster, webhook):
    kinds = {"wiped": None, "garbage": b"garbage", "a stranger's": Authority("a stranger").certificate}
    changed = []
    before = bundles(webhook)
    with load(cluster, "5. caBundle wiped, garbage, a stranger's", may_be_slow=True) as report:
        for bundle in kinds.values():
            changed.append(time.monotonic() - report["began"])
            change_bundle(webhook, bundle)
            webhook.system.wait_for(lambda: bundles(webhook) == before, "the bundle is back")
            webhook.system.wait_for(webhook.injects, "it acts")
    for begin, end in zip(changed, [*changed[1:], report["seconds"]]):
        late = [entry for entry in report.failures_between(begin + MENDED, end - 1)]
        assert late == []
    last = [max([entry["at"] + entry["took"] for entry in report.failures_between(begin, begin + MENDED)],
                default=begin) - begin for begin in changed]
    print("seconds from the change to the last failure:", [round(seconds, 1) for seconds in last])


# 6


def test_06_the_secret_is_deleted_emptied_and_filled_with_garbage(cluster, webhook):
    def has_ca():
        return "ca.crt" in secret(webhook)

    with load(cluster, "6. Secret deleted, emptied, garbage") as report:
        before = secret(webhook)["ca.crt"]
        webhook.system.done("delete", "secret", CA_SECRET)
        webhook.system.wait_for(has_ca, "the Secret is back")
        assert secret(webhook)["ca.crt"] != before
        webhook.system.done("patch", "secret", CA_SECRET, "--type=json", "-p", '[{"op":"remove","path":"/data"}]')
        webhook.system.wait_for(has_ca, "the Secret is full again")
        told = count_in_logs(webhook, TROUBLE)
        garbage = {"data": {"ca.crt": base64.b64encode(b"garbage").decode()}}
        webhook.system.done("patch", "secret", CA_SECRET, "-p", json.dumps(garbage))
        wait_for_more(webhook, TROUBLE, told)
        # As the message tells.
        webhook.system.done("delete", "secret", CA_SECRET)
        webhook.system.wait_for(has_ca, "the Secret is back")
        webhook.system.wait_for(webhook.settled, "both are ready")
    unharmed(report)


# 7


def kill(webhook, pod):
    (status,) = pod["status"]["containerStatuses"]
    webhook.cluster.ctr("tasks", "kill", "--signal", "SIGKILL", status["containerID"].removeprefix("containerd://"))
    name = pod["metadata"]["name"]

    def back():
        (now,) = webhook.system.get("pod", name)["status"]["containerStatuses"]
        return now["restartCount"] > status["restartCount"] and now["ready"]

    webhook.system.wait_for(back, f"{name} is back", 120)


def test_07_one_replica_is_killed_then_the_other(namespace, webhook):
    namespace.applied(service())
    with load(webhook.cluster, "7. kill -9 of one replica, then of the other") as report:
        for number, pod in enumerate(webhook.pods()):
            namespace.applied(stateful_set(f"trainer-{'ab'[number]}", service="trainer", replicas=3))
            kill(webhook, pod)
    assert report["failed"] <= 5 * 2
    for name in ("trainer-a", "trainer-b"):
        assert len(namespace.values(name)) == 3 and None not in namespace.values(name).values()


# 8


def test_08_the_api_server_is_restarted_and_etcd_stands_still(cluster, webhook):
    with load(cluster, "8. API server restarted; etcd paused for 30 s", ours_counted=False,
              may_be_slow=True) as report:
        cluster.restart("kube-apiserver")
        webhook.system.wait_for(webhook.injects, "admissions go on")
        os.kill(cluster.pid("etcd"), signal.SIGSTOP)
        try:
            time.sleep(30)  # this is the fault
        finally:
            os.kill(cluster.pid("etcd"), signal.SIGCONT)
        webhook.system.wait_for(webhook.injects, "admissions go on")
        webhook.system.wait_for(webhook.settled, "both are ready")
    assert report["by_webhook"] == 0


# 9


@pytest.mark.parametrize("idle", [89, 90, 91] if FULL else [90])
@pytest.mark.timeout(600, func_only=True)
def test_09_connections_that_were_idle_are_used_again(cluster, webhook, idle):
    """The API server lets go of a connection after 90 s."""
    with load(cluster, f"9. connections idle for {idle} s", pause=idle) as report:
        pass
    unharmed(report)
    assert abs(report["idle"] - idle) < 0.5


# 10


def readiness(webhook):
    """Pod -> whether it is ready and since when, and how often it was restarted."""
    found = {}
    for pod in webhook.pods():
        (ready,) = [condition for condition in pod["status"]["conditions"] if condition["type"] == "Ready"]
        found[pod["metadata"]["name"]] = (ready["status"], ready["lastTransitionTime"],
                                          pod["status"]["containerStatuses"][0]["restartCount"])
    return found


def test_10_hostile_clients(cluster, webhook):
    """The second stream begins in the middle, so that connections are made while all places are taken."""
    half = 45 if FULL else 17.5
    addresses = [f"{pod['status']['podIP']}:8443" for pod in webhook.pods()]
    before = readiness(webhook)
    assert [status for status, *_ in before.values()] == ["True"] * 2
    command = cluster.enter(sys.executable, HERE / "hostile_clients.py", 2000, *addresses)
    with load(cluster, "10. 2,000 silent connections, slow bodies, garbage, at each pod") as report:
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as attack:
            try:
                assert attack.stdout.readline() == "ready\n"
                time.sleep(half)  # this is the fault
                with load(cluster, "10. the same, begun in the middle", name="load-late") as late:
                    time.sleep(half)  # and this
                assert attack.poll() is None
            finally:
                attack.send_signal(signal.SIGTERM)
    unharmed(report)
    unharmed(late)
    assert readiness(webhook) == before


# 11


class LooseReplica:
    """The program outside of a pod, with the pod's rights."""

    def __init__(self, webhook, folder):
        self.process = subprocess.Popen(
            webhook.cluster.enter(ROOT / "build/tfconfig-webhook", "serve", "--service-account", folder, "--listen",
                                  "127.0.0.1:0", "--metrics-listen", "127.0.0.1:0", "--drain", "0"),
            stdout=subprocess.PIPE, text=True,
            env={**os.environ, "KUBERNETES_SERVICE_HOST": NODE_ADDRESS, "KUBERNETES_SERVICE_PORT": "6443"})

    def read_until_it_serves(self):
        """The steps that it takes, up to its first certificate."""
        steps = []
        for line in self.process.stdout:
            event = json.loads(line)
            assert event["level"] in ("info", "debug"), line
            steps.append(event.get("step"))
            if steps[-1] == "sign":
                return steps
        raise AssertionError(f"it ended: {steps}")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=60)


@pytest.fixture
def account(cluster, webhook, tmp_path):
    """The folder that the kubelet mounts into a pod of the webhook."""
    shutil.copy(cluster.folder / "ca.crt", tmp_path)
    (tmp_path / "namespace").write_text(SYSTEM)
    (tmp_path / "token").write_text(webhook.system.done("create", "token", WEBHOOK).strip())
    return tmp_path


def test_11_replicas_that_start_at_once_agree_on_one_ca(cluster, webhook, account):
    rounds = 50 if FULL else 10
    with webhook.down():
        for _ in range(rounds):
            webhook.system.kubectl("patch", "secret", CA_SECRET, "--type=json", "-p",
                                   '[{"op":"remove","path":"/data"}]')
            change_bundle(webhook, None)
            replicas = [LooseReplica(webhook, account) for _ in range(2)]
            steps = [replica.read_until_it_serves() for replica in replicas]
            for replica in replicas:
                replica.stop()
            assert sum(taken.count("begin") for taken in steps) == 1, steps
            assert set(bundles(webhook)) == {secret(webhook)["ca.crt"]}
            assert set(secret(webhook)) == {"ca.crt", "ca.key"}
    tell(cluster, {"fault": f"11. two replicas at once on an empty Secret, {rounds} times", "one CA": rounds})


# 12


PREVIOUS = "0.0.9"  # what this test calls the version before


@pytest.fixture
def before(webhook):
    """The manifests and the image of the version before: these, under another name, as there was none yet that managed
    its certificates."""
    old = Webhook(webhook.cluster, "default")
    old.folder = webhook.cluster.folder / "install-before"
    old.overlay = old.folder / "manifests/overlays/default"
    old.copy_manifests()
    base = old.folder / "manifests/base/kustomization.yaml"
    base.write_text(base.read_text().replace(f"newTag: {images.version()}", f"newTag: {PREVIOUS}"))
    names = [f"docker.io/library/{WEBHOOK}:{version}" for version in (images.version(), PREVIOUS)]
    if not is_on_node(webhook.cluster, names[1]):
        webhook.cluster.ctr("images", "tag", *names)
    yield old
    webhook.install()


def test_12_an_upgrade_and_back_leaves_no_gap_and_rolls_no_set(namespace, webhook, before):
    """The manifests are applied with another tag, and then as they are. Both tags name one image, so this shows what a
    rollout from one to the other does, and not that two versions understand each other."""
    namespace.applied(service(), stateful_set(replicas=2))
    values = namespace.values("trainer")
    revisions = namespace.revisions("trainer")
    with load(webhook.cluster, "12. upgrade, and back") as report:
        for version in (before, webhook):
            version.cluster.kubectl("apply", "-k", version.overlay)
            namespace.done("delete", "pod", "trainer-1", "--wait=false")
            version.system.done("rollout", "status", f"deployment/{WEBHOOK}", "--timeout=120s")
            version.system.wait_for(version.settled, "the old pods are gone")
            assert namespace.values("trainer") == values
            tag = PREVIOUS if version is before else images.version()
            assert [pod["spec"]["containers"][0]["image"].rpartition(":")[2] for pod in version.pods()] == [tag] * 2
    unharmed(report)
    assert namespace.revisions("trainer") == revisions


# 13


def arguments(webhook):
    """Of each pod."""
    return [pod["spec"]["containers"][0]["args"] for pod in webhook.pods()]


@pytest.fixture
def static(webhook):
    """The static overlay, minted for and not installed. At the end everything is as new."""
    static = Webhook(webhook.cluster, "static")
    static.copy_manifests()
    static.mint()
    yield static
    # Else the CA of static stays published for a week.
    webhook.uninstall()
    webhook.install()


@pytest.mark.timeout(600, func_only=True)
def test_13_from_default_to_static_and_back_as_told(namespace, webhook, static):
    """By the documentation's own commands, which leave no gap, neither way."""
    def rolled_out(how):
        webhook.system.done("rollout", "status", f"deployment/{WEBHOOK}", "--timeout=120s")
        webhook.system.wait_for(webhook.settled, "the old pods are gone")
        assert [("--cert-mode=files" in given) for given in arguments(webhook)] == [how == "static"] * 2

    namespace.applied(service(), stateful_set(replicas=2))
    values = namespace.values("trainer")
    revisions = namespace.revisions("trainer")
    minted = (static.folder / "certs/ca.crt").read_text()
    with load(webhook.cluster, "13. from default to static") as there:
        run_documented(webhook.cluster, "From default to static", static.folder)
        rolled_out("static")
        assert webhook.system.get("secret", CA_SECRET) is None
        (static.folder / "certs/ca.crt").write_text(minted)  # the CA of before is taken away
        webhook.cluster.kubectl("apply", "-k", static.overlay)
        rolled_out("static")
        assert set(bundles(webhook)) == {minted}
    with load(webhook.cluster, "13. from static to default") as back:
        run_documented(webhook.cluster, "From static to default", static.folder)
        rolled_out("default")
        assert secret(webhook)["ca.crt"] in bundles(webhook)[0]
        namespace.done("delete", "pod", "trainer-1")
        assert namespace.values("trainer") == values
    unharmed(there)
    unharmed(back)
    assert namespace.revisions("trainer") == revisions
