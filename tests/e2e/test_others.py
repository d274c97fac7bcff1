# SPDX-License-Identifier: Apache-2.0
"""The webhook among others: beside other webhooks, in an outage, installed twice, and gone."""

import base64
import contextlib
import ctypes
import http.server
import json
import ssl
import threading

import pytest
from e2e_harness import (NODE_ADDRESS, SYSTEM, WEBHOOK, WEBHOOK_PODS, Authority, Webhook, bare_pod, container, deployment,
                         service, stamps_of, stateful_set, tf_config)

pytest_plugins = ["e2e_harness"]


# Other people's webhooks


def add_sidecar(pod):
    """What a service mesh does: a container more, with variables of its own."""
    if any(each["name"] == "sidecar" for each in pod["spec"]["containers"]):
        return []
    sidecar = container("sidecar", env=[{"name": "SIDECAR", "value": "1"}])
    return [{"op": "add", "path": "/spec/containers/0", "value": sidecar}]


def prepend_env(pod):
    """What a monitoring agent does: a variable in front of all others, in each container."""
    operations = []
    for index, each in enumerate(pod["spec"]["containers"]):
        if any(entry["name"] == "AGENT" for entry in each.get("env") or []):
            continue
        if not each.get("env"):
            operations.append({"op": "add", "path": f"/spec/containers/{index}/env", "value": []})
        operations.append({"op": "add", "path": f"/spec/containers/{index}/env/0",
                           "value": {"name": "AGENT", "value": "1"}})
    return operations


class Mutator(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    mutations = {"/sidecar": add_sidecar, "/env": prepend_env}

    def do_POST(self):
        review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        patch = self.mutations[self.path.partition("?")[0]](review["request"]["object"])
        response = {"uid": review["request"]["uid"], "allowed": True}
        if patch:
            response |= {"patchType": "JSONPatch", "patch": base64.b64encode(json.dumps(patch).encode()).decode()}
        body = json.dumps({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
                           "response": response}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def listen_inside(namespace):
    """A server whose socket is in a network namespace; a thread alone goes there, and the process stays where it is."""
    made = []

    def enter():
        with open(f"/run/netns/{namespace}") as handle:
            libc = ctypes.CDLL(None, use_errno=True)
            if libc.setns(handle.fileno(), 0) == 0:
                made.append(http.server.ThreadingHTTPServer((NODE_ADDRESS, 0), Mutator))

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    (server,) = made
    return server


@pytest.fixture(scope="module")
def mutators(cluster):
    """URL and caBundle of a server with the mutations of others."""
    authority = Authority("others")
    certificate, key = authority.server("others", [], [NODE_ADDRESS])
    pair = cluster.folder / "others.pem"
    pair.write_bytes(certificate + key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pair)
    server = listen_inside(cluster.namespace)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"https://{NODE_ADDRESS}:{server.server_port}", base64.b64encode(authority.certificate).decode()
    server.shutdown()
    server.server_close()


def registration(name, path, mutators, namespace):
    """The API server calls in the order of the configurations' names; ours is `tfconfig-webhook`."""
    url, authority = mutators
    return {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingWebhookConfiguration",
            "metadata": {"name": name},
            "webhooks": [{"name": f"{name}.example.com", "admissionReviewVersions": ["v1"], "sideEffects": "None",
                          "clientConfig": {"url": url + path, "caBundle": authority}, "failurePolicy": "Fail",
                          "reinvocationPolicy": "IfNeeded", "timeoutSeconds": 5,
                          "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace.name}},
                          "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"],
                                     "operations": ["CREATE"]}]}]}


@contextlib.contextmanager
def registered(namespace, registrations):
    names = [each["metadata"]["name"] for each in registrations]
    namespace.applied(*registrations)
    try:
        def in_force():
            made = namespace.apply(bare_pod("probe"), verb="create", flags=["--dry-run=server", "-o", "json"])
            text = made.stdout
            return ("sidecar" in text) == any("sidecar" in name for name in names) and (
                ("AGENT" in text) == any("env" in name for name in names))

        namespace.wait_for(in_force, "the other webhooks act")
        yield
    finally:
        namespace.done("delete", "mutatingwebhookconfiguration", *names)


@pytest.mark.parametrize("order", [
    ["a-sidecar"], ["z-sidecar"], ["a-env"], ["z-env"], ["a-sidecar", "z-env"], ["a-env", "z-sidecar"],
    ["y-sidecar", "z-env"],
], ids=" ".join)
def test_beside_other_webhooks_each_container_has_the_variable_once(namespace, mutators, order):
    with registered(namespace, [registration(name, f"/{name[2:]}", mutators, namespace) for name in order]):
        namespace.applied(service(), stateful_set(replicas=1, containers=[
            container("first"), container("second", env=[{"name": "MINE", "value": "$(TF_CONFIG)"}])]))
        namespace.rolled_out("trainer")
        (pod,) = namespace.pods("trainer")
        value = tf_config({"worker": namespace.addresses("trainer", [0])}, "worker", 0)
        containers = [each["name"] for each in pod["spec"]["containers"]]
        assert sorted(containers) == sorted(["first", "second"] + ["sidecar"] * any("sidecar" in n for n in order))
        for each in pod["spec"]["containers"]:
            assert [entry["value"] for entry in each["env"] if entry["name"] == "TF_CONFIG"] == [value], each["name"]
            assert namespace.environment("trainer-0", each["name"])["TF_CONFIG"] == value
        assert namespace.environment("trainer-0", "second")["MINE"] == value


# An outage


@pytest.mark.alone
@pytest.mark.api
def test_an_outage_holds_up_the_opted_in_alone(namespace, webhook):
    namespace.applied(service(), stateful_set(replicas=1))
    namespace.seen("trainer")
    with webhook.down():
        # Not ours.
        theirs = stateful_set("theirs", annotations={"inject": None}, replicas=1)
        # The conditions of the registration have to bear any number of annotations.
        many = stateful_set("many", annotations={"inject": None}, replicas=0,
                            template_annotations={f"example.com/{number}": "1" for number in range(1000)})
        many["metadata"]["annotations"] = {f"example.com/{number}": "1" for number in range(1000)}
        assert namespace.applied(deployment(), bare_pod(), service("theirs"), theirs) == ""
        assert namespace.applied(many, verb="create") == ""
        namespace.seen("theirs")
        # Ours: refused in so many words, or waiting.
        finished = namespace.apply(stateful_set("another"))
        assert finished.returncode == 1
        assert 'failed calling webhook "statefulsets.tfconfig.dev"' in finished.stderr
        namespace.done("delete", "pod", "trainer-0")
        namespace.denial("trainer", 'failed calling webhook "pods.tfconfig.dev"')
        assert namespace.pods("trainer") == []
        # What is no concern of ours goes on, of an opted-in set too.
        namespace.done("label", "statefulset", "trainer", "team=blue")
        namespace.done("scale", "statefulset", "trainer", "--replicas=1")


@pytest.mark.alone
def test_pods_start_during_an_outage_and_opted_in_ones_at_a_change_when_it_is_over(namespace, webhook):
    namespace.applied(service(), stateful_set(replicas=1))
    before = namespace.values("trainer")
    with webhook.down():
        theirs = stateful_set("theirs", annotations={"inject": None}, replicas=1)
        namespace.applied(deployment(), bare_pod(), service("theirs"), theirs)
        namespace.rolled_out("theirs")
        namespace.done("wait", "--for=condition=Available", "deployment/web", "--timeout=60s")
        namespace.done("wait", "--for=condition=Ready", "pod/bare", "--timeout=60s")
        namespace.done("delete", "pod", "trainer-0")
        namespace.denial("trainer", 'failed calling webhook "pods.tfconfig.dev"')
    namespace.done("annotate", "statefulset", "trainer", "example.com/touched=1")
    assert namespace.values("trainer") == before


@pytest.mark.alone
@pytest.mark.api
def test_no_review_is_lost_while_the_webhook_is_restarted(webhook):
    answers, rolled_out = [], threading.Event()

    def ask():
        while not rolled_out.is_set():
            answers.append(webhook.probe())

    asking = threading.Thread(target=ask)
    before = {pod["metadata"]["name"] for pod in webhook.pods()}
    asking.start()
    try:
        webhook.system.done("rollout", "restart", f"deployment/{WEBHOOK}")
        webhook.system.wait_for(lambda: webhook.settled() and before.isdisjoint(
            pod["metadata"]["name"] for pod in webhook.pods()), "the old pods are gone")
    finally:
        rolled_out.set()
        asking.join()
    assert len(answers) > 10
    assert [answer.stderr for answer in answers if answer.returncode != 0] == []


def stamped(webhook):
    """How many new StatefulSets all replicas count as patched, as a scraper reads it."""
    series = 'tfconfig_webhook_admission_requests_total{resource="statefulsets",operation="CREATE",decision="patched"} '
    text = "".join(webhook.cluster.kubectl("get", "--raw", f"/api/v1/namespaces/{SYSTEM}/pods/"
                                           f"{pod['metadata']['name']}:8080/proxy/metrics").stdout
                   for pod in webhook.pods())
    return sum(int(line.removeprefix(series)) for line in text.splitlines() if line.startswith(series))


@pytest.mark.alone
@pytest.mark.api
def test_metrics_count_the_reviews_of_a_real_api_server(webhook):
    before = stamped(webhook)
    assert webhook.probe().returncode == 0
    assert stamped(webhook) == before + 1


@pytest.mark.alone
@pytest.mark.api
def test_our_own_pods_start_without_the_webhook(namespace, webhook):
    """They could not, were they sent to it: at the end of an outage there is nobody to ask."""
    with webhook.down():
        pass
    assert webhook.settled()


@pytest.mark.alone
def test_switching_it_off_in_an_emergency_admits_everything_as_it_is(namespace, webhook):
    namespace.done("delete", "mutatingwebhookconfiguration", WEBHOOK)
    try:
        namespace.wait_for(lambda: not webhook.injects(), "nothing is stamped")
        namespace.applied(service(), stateful_set(annotations={"on-scale": "deny"}, replicas=1))
        assert namespace.values("trainer") == {"trainer-0": None}
    finally:
        webhook.install()
    # A set that was there before the webhook.
    assert stamps_of(namespace.get("statefulset", "trainer")) == (None, None)
    namespace.done("rollout", "restart", "statefulset/trainer")
    assert namespace.sizes("trainer") == [1]


# The install


def everything_of(webhook):
    """kind/name -> (resourceVersion, generation) of each object that the manifests make."""
    found = json.loads(webhook.cluster.kubectl("get", "-k", webhook.overlay, "-o", "json").stdout)["items"]
    return {f"{obj['kind']}/{obj['metadata']['name']}": (obj["metadata"]["resourceVersion"],
                                                         obj["metadata"].get("generation")) for obj in found}


@pytest.mark.alone
@pytest.mark.api
def test_installed_twice_nothing_changes(webhook):
    before = everything_of(webhook)
    assert {name.partition("/")[0] for name in before} >= {"Deployment", "Secret", "MutatingWebhookConfiguration"}
    said = webhook.install()
    assert everything_of(webhook) == before
    # What kubectl says of three is wrong: Kustomize breaks the lines of base64, and a budget's selector is always sent.
    changed = [line.partition(" ")[0].partition("/")[0].partition(".")[0] for line in said.splitlines()
               if not line.endswith(" unchanged")]
    assert set(changed) <= {"secret", "mutatingwebhookconfiguration", "poddisruptionbudget"}
    assert webhook.cluster.kubectl("diff", "-k", webhook.overlay).stdout == ""


@pytest.mark.api
def test_the_webhook_runs_at_the_restricted_pod_security_level(webhook):
    labels = webhook.system.get("namespace", SYSTEM)["metadata"]["labels"]
    assert labels["pod-security.kubernetes.io/enforce"] == "restricted"
    refused = webhook.system.apply(bare_pod(), flags=["--dry-run=server"])
    assert refused.returncode == 1 and 'violates PodSecurity "restricted' in refused.stderr
    assert len(webhook.pods()) == 2
    said = webhook.cluster.kubectl("apply", "-k", webhook.overlay, "--dry-run=server").stderr
    assert said == "", "neither a refusal nor a warning of the level"


@pytest.mark.alone
def test_the_static_overlay_rolls_out_a_certificate_minted_anew(namespace, webhook):
    """The Secret's name changes with its content, so that the pods roll; the API server trusts the new authority."""
    static = Webhook(webhook.cluster, "static")
    webhook.uninstall()
    try:
        secrets = []
        for _ in range(2):
            static.mint()
            static.install()
            secrets.append({name for name in everything_of(static) if name.startswith("Secret/")})
        assert secrets[0] != secrets[1]
        namespace.applied(service(), stateful_set(replicas=1))
        assert namespace.sizes("trainer") == [1]
    finally:
        static.uninstall()
        webhook.install()


@pytest.mark.alone
def test_uninstalled_nothing_stays_and_stamped_sets_start_without_the_value(namespace, webhook):
    namespace.applied(service(), stateful_set(replicas=1))
    assert None not in namespace.values("trainer").values()
    stamps = stamps_of(namespace.get("statefulset", "trainer"))
    webhook.uninstall()
    try:
        kinds = namespace.done("api-resources", "--verbs=list", "-o", "name").split()
        selector = ["-l", WEBHOOK_PODS, "--all-namespaces", "-o", "name", "--ignore-not-found"]
        assert namespace.done("get", ",".join(kinds), *selector) == ""
        assert namespace.get("namespace", SYSTEM) is None
        namespace.done("delete", "pod", "trainer-0")
        assert namespace.values("trainer") == {"trainer-0": None}
        assert stamps_of(namespace.get("statefulset", "trainer")) == stamps
        # Annotations off, as docs/install.md says: the stamps have to be taken off by hand now.
        theirs = stateful_set("theirs", annotations={"inject": None}, replicas=1)
        assert namespace.applied(service("theirs"), theirs) == ""
        namespace.rolled_out("theirs")
    finally:
        webhook.install()
    namespace.done("delete", "pod", "trainer-0")
    assert namespace.sizes("trainer") == [1]
