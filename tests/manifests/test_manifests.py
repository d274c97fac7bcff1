# SPDX-License-Identifier: Apache-2.0
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
from cryptography import x509

from conftest import ROOT, program_path, run_review
from kubernetes_objects import INDEX, INJECT, ROLE, ordinals_of, patched, pod_of, review_of, tf_config_of

NAMESPACE = "tfconfig-system"
NAME = "tfconfig-webhook"
ADVICE = "tfconfig-webhook-advice"
OVERLAYS = ["cert-manager", "default", "minimal", "static"]
FROM_FILES = ["cert-manager", "static"]
SELF_MANAGED = ["default", "minimal"]
(VERSION,) = re.findall(r'TFCONFIG_WEBHOOK_VERSION "(.+)"', (ROOT / "include/version.h").read_text())
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
def built(tree):
    """What each overlay comes to, and the base that they share."""
    overlays = {name: build(tree / "manifests/overlays" / name) for name in OVERLAYS}
    return {"base": build(tree / "manifests/base"), **overlays}


@pytest.fixture(scope="module")
def base(built):
    return built["base"]


@pytest.fixture(scope="module")
def static(built):
    return built["static"]


@pytest.fixture(scope="module")
def cert_manager(built):
    return built["cert-manager"]


@pytest.fixture(scope="module")
def default(built):
    return built["default"]


@pytest.fixture(scope="module")
def minimal(built):
    return built["minimal"]


@pytest.fixture(params=["base", *OVERLAYS])
def objects(built, request):
    """For a test of what holds in each of them."""
    return built[request.param]


@pytest.fixture(params=OVERLAYS)
def overlay(built, request):
    return built[request.param]


@pytest.fixture(params=FROM_FILES)
def from_files(built, request):
    return built[request.param]


@pytest.fixture(params=SELF_MANAGED)
def self_managed(built, request):
    return built[request.param]


@pytest.fixture(scope="module", params=FROM_FILES)
def from_files_with_advice(tree, tmp_path_factory, request):
    """The overlay with the component that a comment in its kustomization names."""
    folder = tmp_path_factory.mktemp("advised") / "tree"
    shutil.copytree(tree, folder)
    path = folder / "manifests/overlays" / request.param / "kustomization.yaml"
    text, found = re.subn("^# (- .*/cluster-advice )", r"\1", path.read_text(), flags=re.MULTILINE)
    assert found == 1
    path.write_text(text)
    return build(path.parent)


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


def test_every_overlay_is_tested():
    assert sorted(path.name for path in (ROOT / "manifests/overlays").iterdir()) == OVERLAYS


def test_kinds_and_namespace(objects):
    for obj in objects:
        if obj["kind"] not in ("Namespace", "MutatingWebhookConfiguration", "ClusterRole", "ClusterRoleBinding"):
            assert obj["metadata"]["namespace"] == NAMESPACE
        assert obj["metadata"]["labels"]["app.kubernetes.io/name"] == NAME
    labels = one(objects, "Namespace", NAMESPACE)["metadata"]["labels"]
    for mode in "enforce", "audit", "warn":
        assert labels[f"pod-security.kubernetes.io/{mode}"] == "restricted"


KINDS = ["Deployment", "MutatingWebhookConfiguration", "Namespace", "NetworkPolicy", "PodDisruptionBudget", "Service",
         "ServiceAccount"]


@pytest.mark.parametrize("name, more", [
    ("base", []),
    ("minimal", ["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding", "Secret"]),
    ("default", [*["ClusterRole", "ClusterRoleBinding"] * 2, "Role", "RoleBinding", "Secret"]),
    ("static", ["Secret"]),
    ("cert-manager", ["Certificate", "Certificate", "Issuer", "Issuer"]),
])
def test_what_there_is(built, name, more):
    assert sorted(o["kind"] for o in built[name]) == sorted([*KINDS, *more])


# The registration


@pytest.mark.parametrize("name", ["statefulsets.tfconfig.dev", "pods.tfconfig.dev"])
def test_what_both_webhooks_share(objects, name):
    hook = webhook(objects, name)
    assert hook["admissionReviewVersions"] == ["v1"]
    assert hook["failurePolicy"] == "Fail"
    assert hook["timeoutSeconds"] == 5
    assert hook["matchPolicy"] == "Equivalent"
    assert hook["reinvocationPolicy"] == "IfNeeded"
    assert hook["sideEffects"] == "None"
    service = {"name": NAME, "namespace": NAMESPACE, "path": "/mutate", "port": 443}
    assert {**hook["clientConfig"], "caBundle": ""} == {"service": service, "caBundle": ""}
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


@pytest.mark.parametrize("name", ["base", *SELF_MANAGED, "cert-manager"])
def test_no_overlay_but_static_names_a_ca_bundle(built, name):
    """Else each apply would wipe what a controller, or the webhook itself, has put there."""
    assert "caBundle" not in json.dumps(built[name])
    assert one(built[name], "MutatingWebhookConfiguration")["webhooks"] == \
        one(built["base"], "MutatingWebhookConfiguration")["webhooks"]


@pytest.mark.parametrize("name", ["statefulsets.tfconfig.dev", "pods.tfconfig.dev"])
def test_static_ca_bundle(base, static, name):
    hook, without = webhook(static, name), webhook(base, name)
    bundle = "".join(hook["clientConfig"]["caBundle"].split())
    assert bundle == base64.b64encode(FAKE_FILES["ca.crt"].encode()).decode()
    assert hook == {**without, "clientConfig": {**without["clientConfig"], **hook["clientConfig"]}}


def test_static_secret(static):
    secret = one(static, "Secret")
    assert secret["type"] == "kubernetes.io/tls"
    assert secret["metadata"]["namespace"] == NAMESPACE
    assert {k: base64.b64decode(v).decode() for k, v in secret["data"].items()} == FAKE_FILES
    (volume,) = pod_spec(static)["volumes"]
    assert volume["secret"]["secretName"] == secret["metadata"]["name"]


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


# Certificates that manage themselves


def test_secret_of_the_ca_is_empty(self_managed):
    """A key in it, also an empty one, would be written over the CA by each apply."""
    secret = one(self_managed, "Secret", "tfconfig-webhook-ca")
    assert secret.keys() == {"apiVersion", "kind", "metadata", "type"}
    assert secret["type"] == "Opaque"


NAMED_RIGHTS = {
    "Role": [{"apiGroups": [""], "resources": ["secrets"], "resourceNames": ["tfconfig-webhook-ca"],
              "verbs": ["get", "list", "watch", "patch", "create"]}],
    "ClusterRole": [{"apiGroups": ["admissionregistration.k8s.io"], "resources": ["mutatingwebhookconfigurations"],
                     "resourceNames": ["tfconfig-webhook"], "verbs": ["get", "list", "watch", "patch"]}],
}
BINDINGS = {"RoleBinding": "Role", "ClusterRoleBinding": "ClusterRole"}
# Of the component cluster-advice, word for word: the one role whose rules name no object.
ADVICE_RIGHTS = [
    {"apiGroups": [""], "resources": ["services"], "verbs": ["get"]},
    {"apiGroups": ["apps"], "resources": ["statefulsets"], "verbs": ["get", "list", "watch", "patch"]},
    {"apiGroups": [""], "resources": ["events"], "verbs": ["create", "get", "patch"]},
]


def excess_in_rule(kind, rule):
    allowed = NAMED_RIGHTS[kind][0]
    if not rule.get("resourceNames"):
        yield "a rule without resourceNames"
    for field in {*allowed, *rule}:
        beyond = set(rule.get(field, [])) - set(allowed.get(field, []))
        if beyond:
            yield f"{field}: {', '.join(sorted(beyond))}"


def is_advice(obj, kind):
    return obj["kind"] == kind and obj["metadata"]["name"] == ADVICE


def excess_in_role(obj):
    if "aggregationRule" in obj:
        yield "a role that gathers the rules of others"
    rules = obj.get("rules") or []
    if is_advice(obj, "ClusterRole"):
        yield from (f"for advice: {rule}" for rule in rules if rule not in ADVICE_RIGHTS)
    else:
        yield from (what for rule in rules for what in excess_in_rule(obj["kind"], rule))


def excess_in_binding(obj):
    account = {"kind": "ServiceAccount", "name": NAME, "namespace": NAMESPACE}
    role = ADVICE if is_advice(obj, "ClusterRoleBinding") else NAME
    if (obj["roleRef"]["kind"], obj["roleRef"]["name"]) != (BINDINGS[obj["kind"]], role):
        yield f"a role that is not here: {obj['roleRef']['name']}"
    yield from (f"a subject: {subject['name']}" for subject in obj["subjects"] if subject != account)


def excess(objects, advice=False):
    """What the objects grant beyond the two rules of the certificates, each on one object by its name, and where it is
    allowed the list of advice; or to anybody else."""
    found = []
    for obj in objects:
        if obj["kind"] in NAMED_RIGHTS:
            found += excess_in_role(obj)
        elif obj["kind"] in BINDINGS:
            found += excess_in_binding(obj)
        if not advice and (is_advice(obj, "ClusterRole") or is_advice(obj, "ClusterRoleBinding")):
            found.append("the rights of advice")
    return found


def manifest_documents():
    """Every object in every file, also one that no Kustomization names: path and object. What has no kind is a setting
    of Kustomize."""
    for path in (ROOT / "manifests").rglob("*.yaml"):
        yield from ((path, obj) for obj in yaml.safe_load_all(path.read_text()) if obj and "kind" in obj)


@pytest.mark.parametrize("name", ["base", "cert-manager", "minimal", "static"])
def test_every_right_is_to_a_named_object(built, name):
    assert excess(built[name]) == []


def test_default_adds_the_rights_of_advice_and_no_other(default, minimal):
    assert excess(default, advice=True) == []
    added = [obj for obj in default if obj not in minimal]
    assert [(obj["kind"], obj["metadata"]["name"]) for obj in added] == [("ClusterRole", ADVICE),
                                                                         ("ClusterRoleBinding", ADVICE)]
    assert [obj for obj in default if obj not in added] == minimal


def test_no_file_holds_another_right():
    for path, obj in manifest_documents():
        assert excess([obj], advice=path.parent.name == "cluster-advice") == [], path


def test_rights(self_managed):
    for kind, rules in NAMED_RIGHTS.items():
        assert one(self_managed, kind, NAME)["rules"] == rules
    assert all(one(self_managed, kind, NAME) for kind in BINDINGS)


def test_rights_of_advice(default):
    assert one(default, "ClusterRole", ADVICE)["rules"] == ADVICE_RIGHTS
    assert one(default, "ClusterRoleBinding", ADVICE)["roleRef"]["name"] == ADVICE


def test_advice_can_be_added_to_certificates_from_files(default, from_files_with_advice):
    """By what a comment tells; rights, the token and egress come along, and nothing else."""
    assert excess(from_files_with_advice, advice=True) == []
    for kind in "ClusterRole", "ClusterRoleBinding":
        assert one(from_files_with_advice, kind) == one(default, kind, ADVICE)
    assert not [obj for obj in from_files_with_advice if obj["kind"] in ("Role", "RoleBinding")]
    assert pod_spec(from_files_with_advice)["automountServiceAccountToken"] is True
    assert pod_spec(from_files_with_advice)["volumes"][0]["secret"]["defaultMode"] == 0o440
    assert one(from_files_with_advice, "NetworkPolicy") == one(default, "NetworkPolicy")


def a_role(kind="Role", **changes):
    rule = {**NAMED_RIGHTS[kind][0], **changes}
    return {"kind": kind, "metadata": {"name": NAME},
            "rules": [{field: value for field, value in rule.items() if value is not None}]}


def a_role_of_advice(*more, **fields):
    return {"kind": "ClusterRole", "metadata": {"name": ADVICE}, "rules": [*ADVICE_RIGHTS, *more], **fields}


def a_binding(kind="RoleBinding", role=NAME, named=NAME, **subject):
    account = {"kind": "ServiceAccount", "name": NAME, "namespace": NAMESPACE}
    return {"kind": kind, "metadata": {"name": named}, "roleRef": {"kind": BINDINGS[kind], "name": role},
            "subjects": [{**account, **subject}]}


@pytest.mark.parametrize("obj", [
    a_role(resourceNames=None),
    a_role(resourceNames=[]),
    a_role("ClusterRole", resourceNames=None),
    a_role(resourceNames=["tfconfig-webhook-ca", "another"]),
    a_role(verbs=["*"]),
    a_role(verbs=["get", "delete"]),
    a_role("ClusterRole", verbs=["create"]),
    a_role(resources=["*"]),
    a_role(resources=["secrets", "configmaps"]),
    a_role("ClusterRole", apiGroups=["*"]),
    a_role(nonResourceURLs=["/metrics"]),
    {**a_role("ClusterRole"), "aggregationRule": {}},
    {**a_role(), "rules": [*NAMED_RIGHTS["Role"], {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]},
    {**a_role("ClusterRole"), "rules": ADVICE_RIGHTS},
    {**a_role(), "metadata": {"name": ADVICE}, "rules": ADVICE_RIGHTS},
    a_role_of_advice({"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}),
    a_role_of_advice({"apiGroups": [""], "resources": ["services"], "verbs": ["get", "list"]}),
    a_role_of_advice({"apiGroups": ["apps"], "resources": ["*"], "verbs": ["get"]}),
    a_role_of_advice({"apiGroups": ["apps"], "resources": ["statefulsets"], "verbs": ["delete"]}),
    a_role_of_advice({"nonResourceURLs": ["/metrics"], "verbs": ["get"]}),
    a_role_of_advice(aggregationRule={}),
    a_binding(role="view"),
    a_binding("ClusterRoleBinding", role="cluster-admin"),
    a_binding(name="default"),
    a_binding(namespace="default"),
    a_binding(role=ADVICE, named=ADVICE),
    a_binding("ClusterRoleBinding", role=ADVICE),
    a_binding("ClusterRoleBinding", role="edit", named=ADVICE),
    a_binding("ClusterRoleBinding", role=ADVICE, named=ADVICE, name="default"),
])
def test_a_right_too_many_is_noticed(obj):
    assert excess([obj], advice=True)


@pytest.mark.parametrize("obj", [a_role_of_advice(), a_binding("ClusterRoleBinding", role=ADVICE, named=ADVICE)])
def test_the_rights_of_advice_are_noticed_where_they_do_not_belong(obj):
    assert excess([obj])
    assert excess([obj], advice=True) == []


def test_rights_alone_are_no_excess():
    assert excess([a_role(), a_role("ClusterRole"), a_binding(), a_binding("ClusterRoleBinding")]) == []


# cert-manager


def certificate_named(objects, name):
    return one(objects, "Certificate", name)["spec"]


def hours(text):
    assert text.endswith("h")
    return int(text[:-1])


def test_cert_manager_signs_what_the_pods_serve(cert_manager):
    leaf, ca = certificate_named(cert_manager, NAME), certificate_named(cert_manager, "tfconfig-webhook-issuer")
    registration = one(cert_manager, "MutatingWebhookConfiguration")["metadata"]
    assert registration["annotations"] == {"cert-manager.io/inject-ca-from": f"{NAMESPACE}/{NAME}"}
    assert pod_spec(cert_manager)["volumes"][0]["secret"]["secretName"] == leaf["secretName"]
    assert one(cert_manager, "Issuer", leaf["issuerRef"]["name"])["spec"] == {"ca": {"secretName": ca["secretName"]}}
    assert one(cert_manager, "Issuer", ca["issuerRef"]["name"])["spec"] == {"selfSigned": {}}
    for spec in leaf, ca:
        assert (spec["issuerRef"]["group"], spec["issuerRef"]["kind"]) == ("cert-manager.io", "Issuer")
        assert (spec["privateKey"]["algorithm"], spec["privateKey"]["size"]) == ("ECDSA", 256)
    assert ca["isCA"] is True and "isCA" not in leaf
    assert "server auth" in leaf["usages"]


def test_cert_manager_renews_without_a_gap(cert_manager):
    """The old certificate verifies against the new bundle while pods serve it still, and none outlives its CA."""
    leaf, ca = certificate_named(cert_manager, NAME), certificate_named(cert_manager, "tfconfig-webhook-issuer")
    assert ca["privateKey"]["rotationPolicy"] == "Never"
    assert leaf["privateKey"]["rotationPolicy"] == "Always"
    assert hours(ca["renewBefore"]) > hours(leaf["duration"])
    for spec in leaf, ca:
        assert 3 * hours(spec["renewBefore"]) == hours(spec["duration"])


def test_modes_share_no_secret(minimal, cert_manager):
    """After a switch, the one must not find what the other has left."""
    own = one(minimal, "Secret")["metadata"]["name"]
    assert own not in [o["spec"]["secretName"] for o in cert_manager if o["kind"] == "Certificate"]


def test_the_webhook_knows_the_ca_of_cert_manager(cert_manager):
    (name,) = re.findall(r'MINT_CA_NAME "(.*)"', (ROOT / "include/pki/mint.h").read_text())
    assert certificate_named(cert_manager, "tfconfig-webhook-issuer")["commonName"] == name


@needs_program
def test_names_are_those_that_the_program_mints(cert_manager, tmp_path):
    command = [program_path(), "certs", "--out", tmp_path, "--service", NAME, "--namespace", NAMESPACE]
    subprocess.run([*command, "--cluster-domain", "cluster.local"], check=True, capture_output=True, timeout=60)
    minted = x509.load_pem_x509_certificate((tmp_path / "tls.crt").read_bytes())
    names = minted.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert certificate_named(cert_manager, NAME)["dnsNames"] == names.get_values_for_type(x509.DNSName)


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


DEFAULTED_OF_SELF_MANAGED = {
    "Deployment": {"spec.template.spec.automountServiceAccountToken": True},
    "NetworkPolicy": {"spec.egress.0.ports.0.protocol": "TCP", "spec.egress.0.ports.1.protocol": "UDP"},
    "Secret": {"type": "Opaque"},
    "RoleBinding": {"roleRef.apiGroup": "rbac.authorization.k8s.io"},
    "ClusterRoleBinding": {"roleRef.apiGroup": "rbac.authorization.k8s.io"},
}
DEFAULTED_BESIDE = {
    **dict.fromkeys(SELF_MANAGED, DEFAULTED_OF_SELF_MANAGED),
    "static": {"Deployment": {"spec.template.spec.volumes.0.secret.defaultMode": 0o440}},
    "cert-manager": {"Deployment": {"spec.template.spec.volumes.0.secret.defaultMode": 0o440}},
}


def stated(kinds):
    return [(kind, path, value) for kind, fields in kinds.items() for path, value in fields.items()]


def check_stated(objects, kind, path, value):
    found = [at(obj, path) for obj in objects if obj["kind"] == kind]
    assert found and all((type(each), each) == (type(value), value) for each in found)


@pytest.mark.parametrize("kind, path, value", stated(DEFAULTED))
def test_defaults_are_stated(objects, kind, path, value):
    check_stated(objects, kind, path, value)


@pytest.mark.parametrize("name, kind, path, value",
                         [(name, *field) for name, kinds in DEFAULTED_BESIDE.items() for field in stated(kinds)])
def test_defaults_of_overlays_are_stated(built, name, kind, path, value):
    check_stated(built[name], kind, path, value)


@pytest.mark.parametrize("name", ["statefulsets.tfconfig.dev", "pods.tfconfig.dev"])
def test_selectors_are_stated(objects, name):
    assert "objectSelector" in webhook(objects, name) and "namespaceSelector" in webhook(objects, name)


def test_image_has_the_version(objects):
    assert container(objects)["image"] == f"{NAME}:{VERSION}"
    named = [p.name for p in (ROOT / "manifests").rglob("*.yaml") if VERSION in p.read_text()]
    assert named == ["kustomization.yaml"]


OVERLAY_IMAGES = {
    "a registry": ({"newName": f"registry.example.com/team/{NAME}"}, f"registry.example.com/team/{NAME}:{VERSION}"),
    "a tag": ({"newTag": "1.2.3"}, f"{NAME}:1.2.3"),
    "both": ({"newName": f"registry.example.com:5000/{NAME}", "newTag": "latest"},
             f"registry.example.com:5000/{NAME}:latest"),
    "a digest": ({"newName": "mirror.example.com/a", "digest": "sha256:" + "0f" * 32},
                 "mirror.example.com/a@sha256:" + "0f" * 32),
}


def test_waiting_pods_run_the_deployment_s_image(objects):
    assert container(objects)["env"] == [{"name": "TFCONFIG_WEBHOOK_WAIT_IMAGE", "value": container(objects)["image"]}]


@pytest.mark.parametrize("below", ["base", *(f"overlays/{name}" for name in OVERLAYS)])
@pytest.mark.parametrize("name", OVERLAY_IMAGES)
def test_waiting_pods_run_the_image_of_an_admin_s_overlay(tree, below, name):
    """Of an overlay above one, too: each knows the image by the name that the one below gave it."""
    image, expected = OVERLAY_IMAGES[name]
    first, second = (tree / f"manifests/{folder}-{below}-{name}".replace(" ", "-") for folder in ("first", "second"))
    entry = {"name": NAME, **image}
    for folder, resource, images in ((first, tree / "manifests" / below, [entry]),
                                     (second, first, [{"name": image.get("newName", NAME), "newName": "top"}])):
        folder.mkdir(parents=True)
        (folder / "kustomization.yaml").write_text(yaml.safe_dump({
            "apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization",
            "resources": [os.path.relpath(resource, folder)], "images": images}))
    objects = build(first)
    assert container(objects)["image"] == expected
    assert container(objects)["env"][0]["value"] == expected
    on_top = container(build(second))
    assert on_top["image"].startswith("top") and on_top["env"][0]["value"] == on_top["image"]


def test_an_overlay_s_image_leaves_other_variables_alone(tree):
    folder = tree / "manifests/variables"
    folder.mkdir()
    variables = [{"name": "TFCONFIG_WEBHOOK_LOG_LEVEL", "value": "debug"},
                 {"name": "POD_IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}]
    patch = [{"op": "add", "path": "/spec/template/spec/containers/0/env/-", "value": value} for value in variables]
    (folder / "kustomization.yaml").write_text(yaml.safe_dump({
        "apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization", "resources": ["../base"],
        "images": [{"name": NAME, "newName": "a"}],
        "patches": [{"target": {"kind": "Deployment"}, "patch": json.dumps(patch)}]}))
    assert container(build(folder))["env"] == [
        {"name": "TFCONFIG_WEBHOOK_WAIT_IMAGE", "value": f"a:{VERSION}"}, *variables]


@needs_program
def test_the_variables_are_the_program_s(objects):
    done = subprocess.run([program_path(), "serve", "--help"], capture_output=True, text=True, timeout=60)
    known = re.findall(r"^      (TFCONFIG_WEBHOOK_\w+)$", done.stdout, re.MULTILINE)
    assert {variable["name"] for variable in container(objects)["env"]} <= set(known)


def test_pod_is_restricted(objects):
    spec, context = pod_spec(objects), container(objects)["securityContext"]
    assert spec["securityContext"]["runAsNonRoot"] is True
    assert spec["securityContext"]["runAsUser"] == spec["securityContext"]["runAsGroup"] == 65532
    assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert context["allowPrivilegeEscalation"] is False
    assert context["readOnlyRootFilesystem"] is True
    assert context["capabilities"] == {"drop": ["ALL"]}
    assert "privileged" not in context
    assert not {"hostNetwork", "hostPID", "hostIPC"} & spec.keys()
    assert all(set(volume) <= {"name", "secret"} for volume in spec.get("volumes", []))


@pytest.mark.parametrize("name, has_token", [("base", False), ("default", True), ("minimal", True), ("static", False),
                                             ("cert-manager", False)])
def test_who_has_a_token(built, name, has_token):
    objects = built[name]
    assert one(objects, "ServiceAccount", NAME)["automountServiceAccountToken"] is False
    assert pod_spec(objects)["automountServiceAccountToken"] is has_token
    assert pod_spec(objects)["serviceAccountName"] == NAME
    assert pod_spec(objects)["enableServiceLinks"] is False


def test_key_is_readable_for_the_user(from_files):
    """Root owns what a Secret mounts; without the group 65532 could not read mode 0440."""
    (volume,) = pod_spec(from_files)["volumes"]
    assert volume["secret"]["defaultMode"] == 0o440
    assert pod_spec(from_files)["securityContext"]["fsGroup"] == 65532
    (mount,) = container(from_files)["volumeMounts"]
    assert mount == {"name": volume["name"], "mountPath": "/tls", "readOnly": True}


@pytest.mark.parametrize("name", ["base", *SELF_MANAGED])
def test_no_files_where_certificates_manage_themselves(built, name):
    assert "volumes" not in pod_spec(built[name]) and "volumeMounts" not in container(built[name])


def test_own_pods_and_sets_are_not_ours(objects):
    for obj in objects:
        assert not any(key.startswith("tfconfig.dev/") for key in obj["metadata"].get("labels", {}))
        assert not any(key.startswith("tfconfig.dev/") for key in obj["metadata"].get("annotations", {}))
    template = one(objects, "Deployment")["spec"]["template"]["metadata"]
    assert not any(key.startswith("tfconfig.dev/") for key in [*template["labels"], *template["annotations"]])


def test_selectors_fit_the_pods(objects):
    deployment = one(objects, "Deployment")
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    selectors = [
        deployment["spec"]["selector"]["matchLabels"],
        one(objects, "Service")["spec"]["selector"],
        one(objects, "PodDisruptionBudget")["spec"]["selector"]["matchLabels"],
        one(objects, "NetworkPolicy")["spec"]["podSelector"]["matchLabels"],
        *(s["labelSelector"]["matchLabels"] for s in pod_spec(objects)["topologySpreadConstraints"]),
    ]
    assert len(selectors) == 6
    for selector in selectors:
        assert selector and selector.items() <= labels.items()


def test_ports_fit_each_other(objects):
    ports = {p["name"]: p["containerPort"] for p in container(objects)["ports"]}
    assert ports == {"https": 8443, "http": 8080}
    (service_port,) = one(objects, "Service")["spec"]["ports"]
    assert (service_port["port"], service_port["targetPort"]) == (443, "https")
    for probe, path in ("readinessProbe", "/readyz"), ("livenessProbe", "/healthz"):
        assert container(objects)[probe]["httpGet"]["port"] == "http"
        assert container(objects)[probe]["httpGet"]["path"] == path
    policy = one(objects, "NetworkPolicy")["spec"]
    assert policy["policyTypes"] == ["Ingress", "Egress"]
    assert len(policy["ingress"]) == 1 and "from" not in policy["ingress"][0]
    assert sorted(p["port"] for p in policy["ingress"][0]["ports"]) == sorted(ports.values())


@pytest.mark.parametrize("name", ["base", "static", "cert-manager"])
def test_who_asks_nothing_gets_nowhere(built, name):
    policy = one(built[name], "NetworkPolicy")["spec"]
    assert "egress" not in policy, "the API server drops an empty list, so each apply would find a difference"


def test_egress_to_the_api_server_and_dns(self_managed):
    """Its address and port are not known, so any TCP port; none of UDP but that of DNS."""
    assert one(self_managed, "NetworkPolicy")["spec"]["egress"] == [
        {"ports": [{"protocol": "TCP"}, {"port": 53, "protocol": "UDP"}]}
    ]


def serve_defaults():
    """{flag: default or None} as `serve --help` tells them."""
    done = subprocess.run([program_path(), "serve", "--help"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0
    flags = {}
    for match in re.finditer(r"^  (--[a-z-]+).*\n((?:      .*\n)*)", done.stdout, re.MULTILINE):
        default = re.search(r"\(default: (.+?)\)", match[2])
        flags[match[1]] = default and default[1]
    return flags


def print_config(arguments):
    """{flag: value} as the program understands them, of arguments that it must accept."""
    done = subprocess.run([program_path(), *arguments, "--print-config"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return dict(line.split(" ")[:2] for line in done.stdout.splitlines() if line.startswith("--"))


@needs_program
def test_arguments_of_self_managed_certificates(self_managed):
    """Names that are nowhere but in the program's defaults."""
    config = print_config(container(self_managed)["args"])
    assert config["--cert-mode"] == "self-managed"
    assert config["--ca-secret"] == one(self_managed, "Secret")["metadata"]["name"]
    assert config["--webhook-configuration"] == one(self_managed, "MutatingWebhookConfiguration")["metadata"]["name"]
    assert config["--service"] == one(self_managed, "Service")["metadata"]["name"]


@needs_program
def test_arguments_of_certificates_from_files(from_files):
    config = print_config(container(from_files)["args"])
    assert config["--cert-mode"] == "files"
    assert (config["--tls-cert"], config["--tls-key"]) == ("/tls/tls.crt", "/tls/tls.key")


@needs_program
def test_arguments_and_ports(overlay):
    """The program takes the arguments, and listens where the manifests say."""
    config = print_config(container(overlay)["args"])
    ports = {p["name"]: str(p["containerPort"]) for p in container(overlay)["ports"]}
    assert config["--listen"].rpartition(":")[2] == ports["https"]
    assert config["--metrics-listen"].rpartition(":")[2] == ports["http"]


def seconds(text):
    return int(text[:-1]) * {"s": 1, "m": 60, "h": 3600}[text[-1]]


@needs_program
def test_grace_period_is_longer_than_the_drain(objects):
    flags = serve_defaults()
    needed = seconds(flags["--drain"]) + seconds(flags["--request-timeout"])
    assert pod_spec(objects)["terminationGracePeriodSeconds"] > needed


@needs_program
def test_memory_limit_leaves_room(objects):
    limit = container(objects)["resources"]["limits"]["memory"]
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
