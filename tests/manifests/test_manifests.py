"""What `kubectl apply -k` would send: built with Kustomize, held against the program and Kubernetes' defaults."""

import ast
import base64
import json
import os
import re
import shutil
import subprocess

import pytest
import yaml

from conftest import ROOT, program_path, run_review
from kubernetes_objects import INDEX, INJECT, ROLE, ordinals_of, patched, pod_of, review_of, tf_config_of

NAMESPACE = "tfconfig-system"
NAME = "tfconfig-webhook"
SAMPLES = ["chief", "parameter-server", "worker"]
FAKE_FILES = {"ca.crt": "a CA\n" * 30, "tls.crt": "a certificate\n" * 30, "tls.key": "a key\n" * 30}

pytestmark = pytest.mark.skipif(not shutil.which("kubectl"), reason="kubectl, which builds the manifests, is missing")
needs_program = pytest.mark.skipif(not os.access(program_path(), os.X_OK), reason="the program is not built")


def build(folder):
    done = subprocess.run(["kubectl", "kustomize", folder], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "deprecated" not in done.stderr
    return [document for document in yaml.safe_load_all(done.stdout) if document]


@pytest.fixture(scope="module")
def base():
    return build(ROOT / "manifests/base")


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy of the manifests, where certificates may be put without touching the real certs/."""
    folder = tmp_path_factory.mktemp("tree")
    shutil.copytree(ROOT / "manifests", folder / "manifests")
    (folder / "certs").mkdir()
    shutil.copy(ROOT / "certs/kustomization.yaml", folder / "certs")
    for name, text in FAKE_FILES.items():
        (folder / "certs" / name).write_text(text)
    return folder


@pytest.fixture(scope="module")
def static(tree):
    return build(tree / "manifests/overlays/static")


def one(objects, kind, name=None):
    found = [o for o in objects if o["kind"] == kind and name in (None, o["metadata"]["name"])]
    assert len(found) == 1, f"{len(found)} of kind {kind}"
    return found[0]


def webhook(objects, name):
    hooks = {w["name"]: w for w in one(objects, "MutatingWebhookConfiguration")["webhooks"]}
    assert sorted(hooks) == ["pods.tfconfig.dev", "statefulsets.tfconfig.dev"]
    return hooks[name]


def pod_spec(objects):
    return one(objects, "Deployment")["spec"]["template"]["spec"]


def container(objects):
    (only,) = pod_spec(objects)["containers"]
    return only


def at(obj, path):
    """The value behind a dotted path; a number is a position in a list. KeyError or IndexError where there is none."""
    for key in path.split("."):
        obj = obj[int(key)] if isinstance(obj, list) else obj[key]
    return obj


def test_kinds_and_namespace(base):
    kinds = sorted(o["kind"] for o in base)
    assert kinds == ["Deployment", "MutatingWebhookConfiguration", "Namespace", "NetworkPolicy", "PodDisruptionBudget",
                     "Service", "ServiceAccount"]
    for obj in base:
        if obj["kind"] not in ("Namespace", "MutatingWebhookConfiguration"):
            assert obj["metadata"]["namespace"] == NAMESPACE
    labels = one(base, "Namespace", NAMESPACE)["metadata"]["labels"]
    for mode in "enforce", "audit", "warn":
        assert labels[f"pod-security.kubernetes.io/{mode}"] == "restricted"


# The registration


@pytest.mark.parametrize("name", ["statefulsets.tfconfig.dev", "pods.tfconfig.dev"])
def test_what_both_webhooks_share(base, name):
    hook = webhook(base, name)
    assert hook["admissionReviewVersions"] == ["v1"]
    assert hook["failurePolicy"] == "Fail"
    assert hook["timeoutSeconds"] == 5
    assert hook["matchPolicy"] == "Equivalent"
    assert hook["reinvocationPolicy"] == "IfNeeded"
    assert hook["sideEffects"] == "None"
    service = {"name": NAME, "namespace": NAMESPACE, "path": "/mutate", "port": 443}
    assert hook["clientConfig"] == {"service": service}
    assert hook["namespaceSelector"] == {
        "matchExpressions": [
            {"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": ["kube-system", NAMESPACE]}
        ]
    }


def test_pods_webhook(base):
    hook = webhook(base, "pods.tfconfig.dev")
    assert hook["objectSelector"] == {"matchLabels": {INJECT: "true"}}
    assert hook["rules"] == [
        {"apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"], "operations": ["CREATE"],
         "scope": "Namespaced"}
    ]
    assert "matchConditions" not in hook


def test_statefulsets_webhook(base):
    hook = webhook(base, "statefulsets.tfconfig.dev")
    assert hook["objectSelector"] == {}
    assert hook["rules"] == [
        {"apiGroups": ["apps"], "apiVersions": ["v1"], "resources": ["statefulsets"],
         "operations": ["CREATE", "UPDATE"], "scope": "Namespaced"}
    ]


def test_match_conditions(base):
    conditions = webhook(base, "statefulsets.tfconfig.dev")["matchConditions"]
    names = [c["name"] for c in conditions]
    assert names == ["not-being-deleted", "spec-or-annotations-changed", "opted-in-or-stamped"]
    deleted, changed, opted_in = (" ".join(c["expression"].split()) for c in conditions)
    assert deleted == "!has(object.metadata.deletionTimestamp)"
    assert changed == (
        "request.operation == 'CREATE' || object.spec != oldObject.spec || "
        "object.metadata.?annotations.orValue({}) != oldObject.metadata.?annotations.orValue({})"
    )
    # An unguarded look-up is an error where there are no annotations, and an error denies every such StatefulSet.
    for field in "object.metadata.annotations", "object.spec.template.metadata.annotations":
        assert f"(has({field}) && " in opted_in
        assert f"(size({field}) <= 256 && {field}.exists(k, k.startsWith('tfconfig.dev/')))" in opted_in
        assert opted_in.index(f"has({field})") < opted_in.index(f"'{INJECT}' in {field}")
    assert "has(object.spec.template.metadata.labels) && " in opted_in
    assert opted_in.count("(") == opted_in.count(")")


def test_only_the_static_overlay_names_a_ca_bundle(base, static):
    assert "caBundle" not in json.dumps(base)
    for name in "statefulsets.tfconfig.dev", "pods.tfconfig.dev":
        hook = webhook(static, name)
        without = webhook(base, name)
        bundle = "".join(hook["clientConfig"]["caBundle"].split())
        assert bundle == base64.b64encode(FAKE_FILES["ca.crt"].encode()).decode()
        assert hook == {**without, "clientConfig": {**without["clientConfig"], **hook["clientConfig"]}}


def test_static_secret(base, static):
    secret = one(static, "Secret")
    assert secret["type"] == "kubernetes.io/tls"
    assert secret["metadata"]["namespace"] == NAMESPACE
    assert {k: base64.b64decode(v).decode() for k, v in secret["data"].items()} == FAKE_FILES
    (volume,) = pod_spec(static)["volumes"]
    assert volume["secret"]["secretName"] == secret["metadata"]["name"]
    assert pod_spec(base)["volumes"][0]["secret"]["secretName"] == "tfconfig-webhook-tls"
    assert len(static) == len(base) + 1


def test_new_certificates_start_a_rollout(tree, static, tmp_path):
    shutil.copytree(tree, tmp_path / "tree")
    (tmp_path / "tree/certs/tls.crt").write_text("another one\n")
    again = build(tmp_path / "tree/manifests/overlays/static")
    assert pod_spec(again) != pod_spec(static)
    assert pod_spec(build(tree / "manifests/overlays/static")) == pod_spec(static)


@needs_program
def test_static_overlay_with_minted_files(tree, tmp_path):
    shutil.copytree(tree, tmp_path / "tree")
    certs = tmp_path / "tree/certs"
    command = [program_path(), "certs", "--out", certs, "--service", NAME, "--namespace", NAMESPACE]
    done = subprocess.run([*command, "--force", "--print-ca-bundle"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    hook = webhook(build(tmp_path / "tree/manifests/overlays/static"), "pods.tfconfig.dev")
    assert "".join(hook["clientConfig"]["caBundle"].split()) == done.stdout.strip()
    assert "ca.key" not in one(build(tmp_path / "tree/manifests/overlays/static"), "Secret")["data"]


@pytest.mark.skipif(not shutil.which("git") or not (ROOT / ".git").exists(), reason="this is no git work tree")
@pytest.mark.parametrize("name", ["ca.crt", "ca.key", "tls.crt", "tls.key", ".new.ca.key", ".new.tls.key"])
def test_git_ignores_minted_files(name):
    done = subprocess.run(["git", "check-ignore", "-q", f"certs/{name}"], cwd=ROOT)
    assert done.returncode == 0


# The deployment

# Fields that the API server fills in where they are missing; stated, applying twice or comparing finds no difference.
# Left out are those whose value depends on the cluster (clusterIP, ipFamilies) and the deprecated serviceAccount.
DEFAULTED = {
    "Deployment": {
        "spec.replicas": 2,
        "spec.revisionHistoryLimit": 10,
        "spec.progressDeadlineSeconds": 600,
        "spec.strategy.type": "RollingUpdate",
        "spec.strategy.rollingUpdate.maxUnavailable": 0,
        "spec.strategy.rollingUpdate.maxSurge": 1,
        "spec.template.spec.restartPolicy": "Always",
        "spec.template.spec.dnsPolicy": "ClusterFirst",
        "spec.template.spec.schedulerName": "default-scheduler",
        "spec.template.spec.terminationGracePeriodSeconds": 30,
        "spec.template.spec.securityContext.runAsNonRoot": True,
        "spec.template.spec.containers.0.imagePullPolicy": "IfNotPresent",
        "spec.template.spec.containers.0.terminationMessagePath": "/dev/termination-log",
        "spec.template.spec.containers.0.terminationMessagePolicy": "File",
        "spec.template.spec.containers.0.ports.0.protocol": "TCP",
        "spec.template.spec.containers.0.ports.1.protocol": "TCP",
        **{
            f"spec.template.spec.containers.0.{probe}.{field}": value
            for probe, failures, period in (("readinessProbe", 2, 5), ("livenessProbe", 3, 10))
            for field, value in (("httpGet.scheme", "HTTP"), ("timeoutSeconds", 1), ("successThreshold", 1),
                                 ("failureThreshold", failures), ("periodSeconds", period))
        },
        "spec.template.spec.volumes.0.secret.defaultMode": 0o440,
    },
    "Service": {
        "spec.type": "ClusterIP",
        "spec.sessionAffinity": "None",
        "spec.internalTrafficPolicy": "Cluster",
        "spec.ipFamilyPolicy": "SingleStack",
        "spec.ports.0.protocol": "TCP",
        "spec.ports.0.targetPort": "https",
    },
    "NetworkPolicy": {
        "spec.policyTypes": ["Ingress", "Egress"],
        "spec.ingress.0.ports.0.protocol": "TCP",
        "spec.ingress.0.ports.1.protocol": "TCP",
    },
    "PodDisruptionBudget": {"spec.unhealthyPodEvictionPolicy": "AlwaysAllow", "spec.maxUnavailable": 1},
    "MutatingWebhookConfiguration": {
        f"webhooks.{i}.{field}": value
        for i in (0, 1)
        for field, value in (
            ("failurePolicy", "Fail"), ("matchPolicy", "Equivalent"), ("reinvocationPolicy", "IfNeeded"),
            ("timeoutSeconds", 5), ("clientConfig.service.port", 443), ("rules.0.scope", "Namespaced"),
        )
    },
}


@pytest.mark.parametrize("kind, path, value", [(k, p, v) for k, fields in DEFAULTED.items() for p, v in fields.items()])
def test_defaults_are_stated(base, kind, path, value):
    stated = at(one(base, kind), path)
    assert (type(stated), stated) == (type(value), value)


@pytest.mark.parametrize("name", ["statefulsets.tfconfig.dev", "pods.tfconfig.dev"])
def test_selectors_are_stated(base, name):
    assert "objectSelector" in webhook(base, name) and "namespaceSelector" in webhook(base, name)


def test_image_has_the_version(base):
    header = (ROOT / "include/version.h").read_text()
    (version,) = re.findall(r'TFCONFIG_WEBHOOK_VERSION "(.+)"', header)
    assert container(base)["image"] == f"{NAME}:{version}"
    named = [p.name for p in (ROOT / "manifests").rglob("*.yaml") if version in p.read_text()]
    assert named == ["kustomization.yaml"]


def test_pod_is_restricted(base):
    spec, context = pod_spec(base), container(base)["securityContext"]
    assert spec["securityContext"]["runAsNonRoot"] is True
    assert spec["securityContext"]["runAsUser"] == spec["securityContext"]["runAsGroup"] == 65532
    assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert context["allowPrivilegeEscalation"] is False
    assert context["readOnlyRootFilesystem"] is True
    assert context["capabilities"] == {"drop": ["ALL"]}
    assert "privileged" not in context
    assert not {"hostNetwork", "hostPID", "hostIPC"} & spec.keys()
    assert all(set(volume) <= {"name", "secret"} for volume in spec["volumes"])


def test_pod_has_no_token(base):
    assert one(base, "ServiceAccount", NAME)["automountServiceAccountToken"] is False
    assert pod_spec(base)["automountServiceAccountToken"] is False
    assert pod_spec(base)["serviceAccountName"] == NAME
    assert pod_spec(base)["enableServiceLinks"] is False


def test_key_is_readable_for_the_user(base):
    """Root owns what a Secret mounts; without the group 65532 could not read mode 0440."""
    (volume,) = pod_spec(base)["volumes"]
    assert volume["secret"]["defaultMode"] == 0o440
    assert pod_spec(base)["securityContext"]["fsGroup"] == 65532
    (mount,) = container(base)["volumeMounts"]
    assert mount == {"name": volume["name"], "mountPath": "/tls", "readOnly": True}
    arguments = container(base)["args"]
    assert "--tls-cert=/tls/tls.crt" in arguments and "--tls-key=/tls/tls.key" in arguments


def test_own_pods_and_sets_are_not_ours(base):
    for obj in base:
        assert not any(key.startswith("tfconfig.dev/") for key in obj["metadata"].get("labels", {}))
        assert not any(key.startswith("tfconfig.dev/") for key in obj["metadata"].get("annotations", {}))
    template = one(base, "Deployment")["spec"]["template"]["metadata"]
    assert not any(key.startswith("tfconfig.dev/") for key in [*template["labels"], *template["annotations"]])


def test_selectors_fit_the_pods(base):
    deployment = one(base, "Deployment")
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    selectors = [
        deployment["spec"]["selector"]["matchLabels"],
        one(base, "Service")["spec"]["selector"],
        one(base, "PodDisruptionBudget")["spec"]["selector"]["matchLabels"],
        one(base, "NetworkPolicy")["spec"]["podSelector"]["matchLabels"],
        *(s["labelSelector"]["matchLabels"] for s in pod_spec(base)["topologySpreadConstraints"]),
    ]
    assert len(selectors) == 6
    for selector in selectors:
        assert selector and selector.items() <= labels.items()


def test_ports_fit_each_other(base):
    ports = {p["name"]: p["containerPort"] for p in container(base)["ports"]}
    assert ports == {"https": 8443, "http": 8080}
    (service_port,) = one(base, "Service")["spec"]["ports"]
    assert (service_port["port"], service_port["targetPort"]) == (443, "https")
    for probe, path in ("readinessProbe", "/readyz"), ("livenessProbe", "/healthz"):
        assert container(base)[probe]["httpGet"]["port"] == "http"
        assert container(base)[probe]["httpGet"]["path"] == path
    policy = one(base, "NetworkPolicy")["spec"]
    assert policy["policyTypes"] == ["Ingress", "Egress"]
    assert "egress" not in policy, "the API server drops an empty list, so each apply would find a difference"
    assert len(policy["ingress"]) == 1 and "from" not in policy["ingress"][0]
    assert sorted(p["port"] for p in policy["ingress"][0]["ports"]) == sorted(ports.values())


def serve_defaults():
    """{flag: default or None} as `serve --help` tells them."""
    done = subprocess.run([program_path(), "serve", "--help"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0
    flags = {}
    for match in re.finditer(r"^  (--[a-z-]+).*\n((?:      .*\n)*)", done.stdout, re.MULTILINE):
        default = re.search(r"\(default: (.+?)\)", match[2])
        flags[match[1]] = default and default[1]
    return flags


@needs_program
def test_arguments_exist_and_ports_are_the_defaults(base):
    flags = serve_defaults()
    command, *arguments = container(base)["args"]
    assert command == "serve"
    assert {argument.partition("=")[0] for argument in arguments} <= flags.keys()
    ports = {p["name"]: str(p["containerPort"]) for p in container(base)["ports"]}
    assert flags["--listen"].rpartition(":")[2] == ports["https"]
    assert flags["--metrics-listen"].rpartition(":")[2] == ports["http"]


def seconds(text):
    return int(text[:-1]) * {"s": 1, "m": 60, "h": 3600}[text[-1]]


@needs_program
def test_grace_period_is_longer_than_the_drain(base):
    flags = serve_defaults()
    needed = seconds(flags["--drain"]) + seconds(flags["--request-timeout"])
    assert pod_spec(base)["terminationGracePeriodSeconds"] > needed


@needs_program
def test_memory_limit_leaves_room(base):
    limit = container(base)["resources"]["limits"]["memory"]
    budget = serve_defaults()["--memory"]
    assert limit.endswith("Mi") and budget.endswith("Mi")
    assert int(limit[:-2]) == 64 and int(budget[:-2]) <= 48


# The samples


@pytest.fixture(scope="module", params=SAMPLES)
def sample(request):
    return build(ROOT / "manifests/samples" / request.param)


def stateful_sets(sample):
    return [o for o in sample if o["kind"] == "StatefulSet"]


def test_every_sample_is_tested():
    folders = sorted(p.parent.name for p in (ROOT / "manifests/samples").glob("*/kustomization.yaml"))
    assert folders == sorted([*SAMPLES, "training"])


def test_the_script_is_found_beside_the_samples():
    """Kustomize reads no file outside of its folder, so this one is a link."""
    samples = ROOT / "manifests/samples"
    assert (samples / "train.py").samefile(samples / "training/train.py")


def test_sample_service_is_headless_and_fits(sample):
    service = one(sample, "Service")
    assert service["spec"]["clusterIP"] == "None"
    assert service["spec"]["publishNotReadyAddresses"] is True
    for stateful_set in stateful_sets(sample):
        labels = stateful_set["spec"]["template"]["metadata"]["labels"]
        assert stateful_set["spec"]["serviceName"] == service["metadata"]["name"]
        assert service["spec"]["selector"].items() <= labels.items()
        assert stateful_set["spec"]["selector"]["matchLabels"] == labels


def test_sample_sets_do_not_fight_for_pods(sample):
    selectors = [json.dumps(s["spec"]["selector"], sort_keys=True) for s in stateful_sets(sample)]
    assert len(set(selectors)) == len(selectors)


def test_sample_pods(sample):
    claims = [o["metadata"]["name"] for o in sample if o["kind"] == "PersistentVolumeClaim"]
    scripts = one(sample, "ConfigMap")
    images = set()
    for stateful_set in stateful_sets(sample):
        spec = stateful_set["spec"]["template"]["spec"]
        (trainer,) = spec["containers"]
        images.add(trainer["image"])
        assert stateful_set["spec"]["podManagementPolicy"] == "Parallel"
        assert spec["enableServiceLinks"] is False
        assert [p["name"] for p in trainer["ports"]] == ["tensorflow"]
        assert trainer["resources"]["requests"] and trainer["resources"]["limits"]
        volumes = {v["name"]: v for v in spec["volumes"]}
        assert volumes["output"]["persistentVolumeClaim"]["claimName"] in claims
        assert volumes["scripts"]["configMap"]["name"] == scripts["metadata"]["name"]
        assert trainer["command"][-1].removeprefix("/scripts/") in scripts["data"]
    assert images == {"tensorflow-training:2.21.0"}


@pytest.mark.parametrize("script", ["train.py", "parameter_server.py"])
def test_scripts_avoid_the_traps(script):
    """Keras 2 before TensorFlow is imported, the marker before the strategy, and a backup."""
    text = (ROOT / "manifests/samples/training" / script).read_text()
    ast.parse(text)
    assert text.index('setdefault("TF_USE_LEGACY_KERAS", "1")') < text.index("import tensorflow")
    body = text[text.index("def main()"):]
    assert body.index("if DONE.exists()") < re.search(r"Strategy\(|ClusterResolver\(", body).start()
    assert "BackupAndRestore(" in text and "repeat()" in text


def with_defaults(stateful_set):
    """As it reaches a webhook: what the API server fills in, as far as one may care."""
    spec = stateful_set["spec"]
    stateful_set["metadata"]["namespace"] = "ml"
    spec.setdefault("updateStrategy", {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}})
    spec.setdefault("persistentVolumeClaimRetentionPolicy", {"whenDeleted": "Retain", "whenScaled": "Retain"})
    spec.setdefault("revisionHistoryLimit", 10)
    pod = spec["template"]["spec"]
    defaults = {"restartPolicy": "Always", "dnsPolicy": "ClusterFirst", "schedulerName": "default-scheduler"}
    pod.update({key: pod.get(key, value) for key, value in defaults.items()})
    pod.setdefault("securityContext", {})
    for each in pod["containers"]:
        for port in each["ports"]:
            port.setdefault("protocol", "TCP")
    return stateful_set


def accepted(obj):
    """The object after the webhook, which must allow it without a word of advice."""
    code, answer, stderr = run_review(review_of(obj), "--cluster-domain", "cluster.local")
    assert code == 0, answer or stderr
    assert answer["response"]["allowed"] is True
    assert answer["response"].get("warnings", []) == []
    assert "patch" in answer["response"]
    return patched(obj, answer)


EXPECTED_TASKS = {
    "trainer": [("worker", 0), ("worker", 1), ("worker", 2)],
    "trainer-chief": [("chief", 0), ("worker", 0), ("worker", 1), ("worker", 2)],
    "recommender-chief": [("chief", 0)],
    "recommender-worker": [("worker", 0), ("worker", 1), ("worker", 2)],
    "recommender-ps": [("ps", 0), ("ps", 1)],
    "recommender-evaluator": [("evaluator", 0)],
}


@needs_program
def test_sample_is_accepted_and_its_pods_get_their_tasks(sample):
    clusters = []
    for stateful_set in stateful_sets(sample):
        stamped = accepted(with_defaults(stateful_set))
        tasks = []
        for ordinal in ordinals_of(stamped):
            pod = accepted(pod_of(stamped, ordinal))
            value = json.loads(tf_config_of(pod))
            labels = pod["metadata"]["labels"]
            tasks.append((value["task"]["type"], value["task"]["index"]))
            assert (labels[ROLE], int(labels[INDEX])) == tasks[-1]
            value["cluster"].pop("evaluator", None)
            clusters.append(value["cluster"])
        assert tasks == EXPECTED_TASKS[stateful_set["metadata"]["name"]]
    assert all(cluster == clusters[0] for cluster in clusters)
