# SPDX-License-Identifier: Apache-2.0
"""`tfconfig-webhook render`: what it reads, what it says, and in which forms."""

import json
import os
import re
import resource
import shutil
import subprocess
import sys

import pytest
import yaml

from conftest import CASES, ROOT, program_path
from kubernetes_objects import GROUP, INDEX, INJECT, PREFIX, ROLE
from render_harness import ENVIRONMENT, render, render_json

sys.path.append(str(ROOT / "tests" / "cases"))

from cases import read_arguments, read_json  # noqa: E402
from test_chain import OF_THREE, recorded  # noqa: E402

KUBECTL = shutil.which("kubectl", path=f"{os.environ.get('PATH', '')}:{ROOT / 'build' / 'e2e' / 'bin'}")
SAMPLE = ROOT / "manifests" / "samples" / "worker" / "trainer.yaml"


@pytest.fixture(autouse=True)
def needs_program(program):
    """Every test here runs the program."""


def stateful_set(name="trainer", replicas=3, service="hl", **annotations):
    """Nothing to say about it."""
    return {
        "apiVersion": "apps/v1", "kind": "StatefulSet",
        "metadata": {"name": name, "annotations": {
            INJECT: "true", **{PREFIX + key.replace("_", "-"): value for key, value in annotations.items()}}},
        "spec": {"serviceName": service, "replicas": replicas, "podManagementPolicy": "Parallel",
                 "selector": {"matchLabels": {"app": "trainer"}},
                 "template": {"metadata": {"labels": {"app": "trainer"}},
                              "spec": {"enableServiceLinks": False,
                                       "containers": [{"name": "tensorflow", "image": "training"}]}}},
    }


def service(name="hl"):
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name},
            "spec": {"clusterIP": "None", "publishNotReadyAddresses": True, "selector": {"app": "trainer"}}}


def text_of(*objects):
    return yaml.safe_dump_all(objects)


def values_of(found):
    return {pod["name"]: pod["tfConfig"] for pod in found["pods"]}


def addresses(tf_config, role="worker"):
    return json.loads(tf_config)["cluster"][role]


# ---- the same words and values as in the cluster ----


NOT_ASKED = {"wait-without-an-image-is-denied"}  # render takes it that the webhook knows its image


def created_sets():
    """The data cases in which a set is created."""
    return [path.parent for path in sorted(CASES.glob("set/*/review.json"))
            if path.parent.name not in NOT_ASKED and (path.parent / "expected.json").exists()
            and read_json(path)["request"]["operation"] == "CREATE"]


@pytest.mark.parametrize("folder", created_sets(), ids=lambda folder: folder.name)
def test_a_set_gets_the_answer_of_review(folder):
    request = read_json(folder / "review.json")["request"]
    expected = read_json(folder / "expected.json")["response"]
    arguments = [part for part in read_arguments(folder) if "image" not in part and "/" not in part]
    code = 0 if expected["allowed"] else 1
    found = render_json(json.dumps(request["object"]), "-n", request["namespace"], *arguments, code=code)
    if not found:
        assert expected["allowed"] and "patch" not in expected and "warnings" not in expected
        return
    assert found[0]["denial"] == (None if expected["allowed"] else expected["status"]["message"])
    assert found[0]["warnings"] == expected.get("warnings", [])


def test_most_cases_are_asked():
    assert len(created_sets()) > 100


def test_a_recorded_set_gets_the_recorded_values():
    """The set and the values of the chain from a real API server's reviews."""
    obj = recorded("statefulset-create.json")["request"]["object"]
    (found,) = render_json(json.dumps(obj), "--cluster-domain", "cluster.local")
    assert values_of(found) == {f"trainer-{ordinal}": value for ordinal, value in OF_THREE.items()}
    for pod in found["pods"]:
        assert pod["labels"][INJECT] == "true" and pod["labels"]["app"] == "trainer"
        assert (pod["labels"][ROLE], pod["labels"][INDEX]) == (pod["role"], str(pod["index"]))
        assert pod["labels"]["statefulset.kubernetes.io/pod-name"] == pod["name"]


def test_a_set_that_has_a_stamp_is_stamped_again():
    """As `kubectl get -o yaml` prints it; the stamp of before is of another size."""
    obj = stateful_set(replicas=2)
    obj["spec"]["template"]["metadata"]["labels"][INJECT] = "true"
    obj["spec"]["template"]["metadata"]["annotations"] = {GROUP: '{"version":1}'}
    (found,) = render_json(text_of(obj))
    assert len(found["pods"]) == 2 and len(addresses(found["pods"][0]["tfConfig"])) == 2


def test_a_set_that_is_stamped_already_and_denied_has_no_pods():
    obj = stateful_set(port="x y")
    obj["spec"]["template"]["metadata"]["labels"][INJECT] = "true"
    obj["spec"]["template"]["metadata"]["annotations"] = {GROUP: json.dumps({
        "version": 1, "group": "worker=trainer.hl:3", "start": 0, "followsReplicas": True, "port": 2222,
        "address": "fqdn", "domain": "", "sparse": False, "overwrite": False})}
    done = render("-f", "-", "-o", "json", text=text_of(obj))
    assert (done.returncode, done.stderr) == (1, "")
    (found,) = [json.loads(line) for line in done.stdout.splitlines()]
    assert found["denial"] and found["pods"] == []


@pytest.mark.skipif(not KUBECTL, reason="kubectl, which builds the samples, is missing")
@pytest.mark.parametrize("name, pods", [("worker", 3), ("chief", 4), ("parameter-server", 7)])
def test_the_samples_have_nothing_to_be_warned_of(name, pods):
    folder = ROOT / "manifests" / "samples" / name
    built = subprocess.run([KUBECTL, "kustomize", folder], capture_output=True, check=True)
    done = render("-f", "-", "-n", "ml", "-o", "json", text=built.stdout)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert (done.returncode, done.stderr) == (0, "")
    assert [each["warnings"] for each in found] == [[]] * len(found)
    assert sum(len(each["pods"]) for each in found) == pods


# ---- what is read ----


def test_files_folders_and_stdin(tmp_path):
    (tmp_path / "folder" / "inner").mkdir(parents=True)
    for path, name in ("one.yaml", "a"), ("folder/2.yml", "b"), ("folder/1.json", "c"):
        (tmp_path / path).write_text(json.dumps(stateful_set(name)))
    for path in "folder/other.txt", "folder/inner/deep.yaml":
        (tmp_path / path).write_text(json.dumps(stateful_set("not-read")))
    done = render("-f", "-", "-f", "one.yaml", "--filename=folder", "-o", "json", text=text_of(stateful_set("d")),
                  cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(each["name"], each["file"]) for each in found] == [
        ("d", "stdin"), ("a", "one.yaml"), ("c", "folder/1.json"), ("b", "folder/2.yml")]


@pytest.mark.parametrize("change", [
    lambda text: text.replace("\n", "\r\n"),
    lambda text: "\ufeff" + text,
    lambda text: "---\n# nothing\n---\n" + text + "...\n",
    lambda text: json.dumps({"apiVersion": "v1", "kind": "List", "items": list(yaml.safe_load_all(text))}, indent="\t"),
    lambda text: yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": list(yaml.safe_load_all(text))}),
], ids=["carriage returns", "byte order mark", "empty documents", "a List in JSON", "a List"])
def test_the_form_of_the_text_does_not_matter(change):
    text = SAMPLE.read_text()
    assert [{**each, "file": ""} for each in render_json(change(text))] == [
        {**each, "file": ""} for each in render_json(text)]


def test_anchors_and_merge_keys():
    text = """
x-shared: &labels {app: trainer}
apiVersion: apps/v1
kind: StatefulSet
metadata: &metadata
  name: trainer
  annotations: &on {tfconfig.dev/inject: "true"}
spec:
  serviceName: hl
  replicas: 2
  selector: {matchLabels: *labels}
  template:
    metadata: {labels: {<<: *labels, tier: x}, annotations: *on}
    spec: {containers: [{name: tensorflow}]}
"""
    (found,) = render_json(text)
    assert len(found["pods"]) == 2
    assert {"app": "trainer", "tier": "x"}.items() <= found["pods"][0]["labels"].items()


def test_namespaces():
    other = stateful_set("other")
    other["metadata"]["namespace"] = "own"
    text = text_of(stateful_set(), other)
    for arguments, namespace in ((), "default"), (("-n", "ml"), "ml"), (("--namespace=ml",), "ml"):
        found = render_json(text, *arguments)
        assert [each["namespace"] for each in found] == [namespace, "own"]
        assert addresses(found[0]["pods"][0]["tfConfig"])[0] == f"trainer-0.hl.{namespace}.svc:2222"


def test_an_unquoted_yes_is_no_text():
    text = text_of(stateful_set()).replace("'true'", "yes")
    (found,) = render_json(text, code=1)
    assert found["denial"] == f"StatefulSet default/trainer: annotation {INJECT} is true: must be a string"


def test_of_two_keys_the_last_one_counts():
    done = render("-f", "-", text=text_of(stateful_set()).replace("replicas: 3", "replicas: 3\n  replicas: 1"))
    assert done.stdout.startswith("StatefulSet default/trainer: 1 pod\n")
    assert re.search(r"^note: stdin:\d+: duplicate key replicas: the last one counts$", done.stderr, re.M)


def test_sets_that_did_not_opt_in_are_skipped(tmp_path):
    plain = stateful_set("plain")
    del plain["metadata"]["annotations"]
    off = stateful_set("off", inject="false")
    done = render("-f", "-", text=text_of(plain, off, service()))
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "note: nothing to check: no StatefulSet in the input has tfconfig.dev/ annotations\n"
    (found,) = render_json(text_of(plain, stateful_set("on"), off))
    assert found["name"] == "on"


def test_a_typo_is_denied_and_the_other_sets_are_still_shown():
    done = render("-f", "-", text=text_of(stateful_set("a", prot="1"), service(), stateful_set("b")))
    assert done.returncode == 1
    heading, error = done.stdout.splitlines()[:2]
    assert heading == "StatefulSet default/a: denied (stdin:1)"
    assert error.startswith(f'Error: StatefulSet default/a: annotation {PREFIX}prot is unknown: known are ')
    assert "StatefulSet default/b: 3 pods\n" in done.stdout


def test_settings_without_inject_are_a_warning():
    obj = stateful_set(port="2223")
    del obj["metadata"]["annotations"][INJECT]
    done = render("-f", "-", text=text_of(obj))
    assert done.returncode == 0
    assert done.stdout.startswith("StatefulSet default/trainer: nothing is injected\nWarning: nothing is injected: the")


def test_a_set_without_pods():
    assert render("-f", "-", text=text_of(stateful_set(replicas=0), service())).stdout == (
        "StatefulSet default/trainer: 0 pods\n")
    assert render_json(text_of(stateful_set(replicas=0), service()))[0]["pods"] == []


def test_control_characters_stay_out_of_what_people_read():
    text = text_of(stateful_set("NAME")).replace("NAME", '"a\\e[31m"')
    done = render("-f", "-", text=text)
    assert done.returncode == 1
    assert "\x1b" not in done.stdout + done.stderr
    assert "StatefulSet default/a?[31m: denied" in done.stdout


# ---- what is wrong with the input or the command ----


@pytest.mark.parametrize("text, error", [
    ("a: 1\n b: 2\n", "stdin:1:4: invalid multiline plain key"),
    ("a: 1\n---\nb:\n\tc: 1\n", "stdin:4:1: tab character may not be used as indentation"),
    ("a: *x\n", "stdin:1:4: there is no anchor x above this alias"),
    ("{{- if .Values.x }}\na: b\n", "stdin:1:"),
    (b"a: \xff\n", "stdin:1:4: it is not UTF-8"),
])
def test_an_error_of_yaml_has_a_place(text, error):
    done = render("-f", "-", text=text)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[-1].startswith(f"tfconfig-webhook render: {error}"), done.stderr


def test_files_that_can_not_be_read(tmp_path):
    (tmp_path / "large.yaml").write_bytes(b"#" * (8 * 1024 * 1024 + 1))
    for name, error in ("missing.yaml", "No such file or directory"), ("large.yaml", "it is larger than 8 MiB"):
        path = tmp_path / name
        done = render("-f", path)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr == f"tfconfig-webhook render: {path}: {error}\n"


def test_what_is_no_manifest_is_noted(tmp_path):
    (tmp_path / "kustomization.yaml").write_text("apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n")
    (tmp_path / "values.yaml").write_text("replicas: 1\n")
    done = render("-f", ".", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stderr.splitlines() == [
        "note: ./kustomization.yaml: not built: pipe kubectl kustomize into tfconfig-webhook render -f -",
        "note: ./values.yaml:1: skipped: it has no kind or no apiVersion",
        "note: nothing to check: no StatefulSet in the input has tfconfig.dev/ annotations"]


@pytest.mark.parametrize("arguments, error", [
    ([], "--filename is missing: a manifest, a folder of manifests, or - for stdin; may be given many times"),
    (["-f", "-", "-o", "env"], "--output env is for one pod: add --pod ORDINAL"),
    (["-f", "-", "-o", "xml"], '--output is "xml": allowed is text, json, yaml, env'),
    (["-f", "-", "--graph", "-o", "json"], "--graph is for --output text"),
    (["-f", "-", "--graph", "--pod", "0"], "--graph shows the whole group: leave --pod out"),
    (["-f", "-", "-n", "A"],
     '--namespace is "A": allowed is a DNS label: lower-case letters, digits and \'-\', at most 63 characters'),
    (["-f", "-", "--pod", "-1"], '--pod is "-1": allowed is a whole number from 0 to 2147483647'),
    (["-f"], "--filename needs a value: FILE"),
    (["trainer.yaml"], 'unknown argument "trainer.yaml": --help lists what there is'),
])
def test_wrong_usage(arguments, error):
    done = render(*arguments, text="")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"tfconfig-webhook render: {error}\n"


def test_help():
    done = render("--help")
    assert done.returncode == 0 and done.stdout.startswith("Usage: tfconfig-webhook render -f FILE [flags]\n")
    assert "  -f, --filename FILE\n" in done.stdout


def test_output_that_can_not_be_written():
    with open("/dev/full", "wb") as full:
        done = subprocess.run([program_path(), "render", "-f", SAMPLE], stdout=full, stderr=subprocess.PIPE,
                              env=ENVIRONMENT)
    assert done.returncode == 1
    assert done.stderr.decode() == "tfconfig-webhook render: stdout: No space left on device\n"


# ---- Services and other sets ----


def test_a_service_that_is_not_there_is_noted():
    done = render("-f", "-", text=text_of(stateful_set()))
    assert done.returncode == 0 and "Warning" not in done.stdout
    assert done.stderr == (
        "note: StatefulSet default/trainer: Service default/hl is not in the input, so it was not checked\n")


def test_the_last_service_of_a_name_is_checked():
    first = service()
    first["spec"]["clusterIP"] = "10.0.0.1"
    assert render_json(text_of(first, stateful_set(), service()))[0]["warnings"] == []
    assert render_json(text_of(service(), stateful_set(), first))[0]["warnings"] == [
        "a Service with a cluster IP gives pods no names: set clusterIP: None on Service hl"]


def test_another_set_of_the_group():
    line = "chief=m-chief:1,worker=m-worker:2,ps=m-ps:1"
    chief = stateful_set("m-chief", 1, cluster=line)
    worker = stateful_set("m-worker", 3, cluster=line.replace("worker:2", "worker:3"))
    done = render("-f", "-", text=text_of(service(), chief, worker))
    warned = [re.sub(": StatefulSet .*", "", line) for line in done.stdout.splitlines() if line.startswith("Warning")]
    assert warned == [
        "Warning: the group counts 2 pods of a set whose spec.replicas is 3",
        "Warning: tfconfig.dev/cluster must be the same line on each set of the group",
        "Warning: tfconfig.dev/cluster must be the same line on each set of the group"]
    assert done.stderr.splitlines() == [
        f"note: StatefulSet default/{name}: StatefulSet default/m-ps of its group is not in the input, so it was not "
        "compared" for name in ("m-chief", "m-worker")]


# ---- the forms of what is printed ----


def test_text_is_aligned():
    done = render("-f", "-", text=text_of(service(), stateful_set(replicas=10, cluster="chief:1,worker:9")))
    heading, *lines = done.stdout.splitlines()
    assert heading == "StatefulSet default/trainer: 10 pods"
    assert [line.partition("  TF_CONFIG=")[0] for line in lines] == ["trainer-0  chief 0 "] + [
        f"trainer-{number}  worker {number - 1}" for number in range(1, 10)]
    assert [line.partition("TF_CONFIG=")[2] for line in lines] == list(values_of(
        render_json(text_of(service(), stateful_set(replicas=10, cluster="chief:1,worker:9")))[0]).values())


def test_the_middle_of_a_large_group_is_left_out():
    text = text_of(service(), stateful_set(replicas=2500))
    heading, *lines = render("-f", "-", text=text).stdout.splitlines()
    assert heading == "StatefulSet default/trainer: 2,500 pods"
    assert [line.split()[0] for line in lines] == [f"trainer-{number}" for number in range(5)] + ["…"] + [
        f"trainer-{number}" for number in range(2495, 2500)]
    assert lines[5] == "… 2,490 more"
    assert re.fullmatch(r'trainer-0     worker 0     TF_CONFIG=\{"cluster":.{89}… \(86,449 bytes\)', lines[0])
    heading, line = render("-f", "-", "--pod", "7", text=text).stdout.splitlines()
    assert len(addresses(line.partition("TF_CONFIG=")[2])) == 2500


def test_all_shows_all():
    text = text_of(service(), stateful_set(replicas=30))
    assert len(render("-f", "-", text=text).stdout.splitlines()) == 12
    lines = render("-f", "-", "--all", text=text).stdout.splitlines()[1:]
    assert len(lines) == 30
    assert all(len(addresses(line.partition("TF_CONFIG=")[2])) == 30 for line in lines)


def test_yaml_says_what_json_says():
    worker = stateful_set("w", replicas=1)
    worker["spec"]["template"]["metadata"]["labels"].update(
        {"quote": 'a"b\\c', "control": "a\x01\x7f\x85b", "yes": "no"})
    text = text_of(stateful_set("a", prot="1"), stateful_set("b", replicas=0), stateful_set("c"), worker)
    found = render_json(text, code=1)
    done = render("-f", "-", "-o", "yaml", text=text)
    assert list(yaml.safe_load_all(done.stdout)) == found
    assert found[3]["pods"][0]["labels"]["control"] == "a\x01\x7f\x85b"
    assert [sorted(each) for each in found] == [["denial", "file", "name", "namespace", "pods", "warnings"]] * 4


def test_one_pod():
    text = text_of(service(), stateful_set())
    assert [pod["name"] for pod in render_json(text, "--pod", "2")[0]["pods"]] == ["trainer-2"]
    done = render("-f", "-", "--pod", "3", text=text)
    assert done.returncode == 2
    assert done.stderr == ("note: StatefulSet default/trainer has no pod 3: its pods are 0 to 2\n"
                           "tfconfig-webhook render: --pod is 3: there is no such pod\n")
    two = text_of(service(), stateful_set("a", 1), stateful_set("b", 2))
    done = render("-f", "-", "--pod", "1", "-o", "json", text=two)
    assert done.returncode == 0 and done.stderr == "note: StatefulSet default/a has no pod 1: its pods are 0 to 0\n"


def in_shell(script, output):
    return subprocess.run(["sh", "-c", script, "sh", output], capture_output=True, check=True, env={}).stdout.decode()


def test_env_is_for_a_shell():
    text = text_of(service(), stateful_set())
    done = render("-f", "-", "--pod", "1", "-o", "env", text=text)
    assert (done.returncode, done.stderr) == (0, "")
    value = render_json(text)[0]["pods"][1]["tfConfig"]
    assert done.stdout == f"TF_CONFIG='{value}'\n"
    assert in_shell('eval "$1"; printf %s "$TF_CONFIG"', done.stdout) == value
    assert in_shell('eval export "$1"; exec printenv TF_CONFIG', done.stdout) == value + "\n"


@pytest.mark.parametrize("own", ["it's", "'; echo no; '", "$(echo no) `echo no` \\ \"", "a\nb"])
def test_env_of_a_container_that_keeps_its_own(own):
    obj = stateful_set(replicas=1)
    obj["spec"]["template"]["spec"]["containers"][0]["env"] = [{"name": "TF_CONFIG", "value": own}]
    done = render("-f", "-", "--pod", "0", "-o", "env", text=text_of(service(), obj))
    assert done.returncode == 0
    assert done.stderr.startswith("Warning: keeps its own TF_CONFIG;")
    assert in_shell('eval "$1"; printf %s "$TF_CONFIG"', done.stdout) == own


def test_env_is_for_one_set():
    several = text_of(stateful_set("a"), stateful_set("b"), stateful_set("c"))
    done = render("-f", "-", "--pod", "0", "-o", "env", text=several)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == ("tfconfig-webhook render: --output env is for one StatefulSet, but the input has several: "
                           "default/a, default/b, ...\n")
    done = render("-f", "-", "--pod", "0", "-o", "env", text=text_of(service()))
    assert (done.returncode, done.stdout) == (1, "")
    done = render("-f", "-", "--pod", "0", "-o", "env", text=text_of(stateful_set(port="x y")))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f'Error: StatefulSet default/trainer: annotation {PREFIX}port is "x y": must be')


def test_the_value_is_found_next_to_a_container_that_keeps_its_own():
    obj = stateful_set(replicas=1)
    obj["spec"]["template"]["spec"]["containers"][:0] = [{"name": "own", "env": [{"name": "TF_CONFIG", "value": "{}"}]}]
    assert json.loads(render_json(text_of(obj))[0]["pods"][0]["tfConfig"])["task"] == {"type": "worker", "index": 0}


def test_a_variable_from_elsewhere_is_no_value():
    obj = stateful_set(replicas=1)
    obj["spec"]["template"]["spec"]["containers"][0]["env"] = [
        {"name": "TF_CONFIG", "valueFrom": {"configMapKeyRef": {"name": "tf", "key": "config"}}}]
    assert render_json(text_of(obj))[0]["pods"][0]["tfConfig"] is None
    done = render("-f", "-", "--pod", "0", "-o", "env", text=text_of(service(), obj))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.endswith("\nError: the pod has no TF_CONFIG\n")


@pytest.mark.skipif("san" in program_path(), reason="a sanitizer takes terabytes of addresses")
def test_a_large_group_is_not_held():
    """A thousand values of 69 KB in a process that may not hold their sum."""
    obj = stateful_set(replicas=1000, service="a-headless-service-with-a-long-name")
    limit = 60_000_000
    done = render("-f", "-", "-o", "json", text=text_of(obj),
                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
    assert done.returncode == 0
    assert len(done.stdout) > limit


# ---- the picture ----

SEVERAL = "chief=m-chief:1,worker=m-worker:12,ps=m-ps:2,evaluator=m-eval:1"


def several(**annotations):
    return [stateful_set(name, replicas, cluster=SEVERAL, **annotations)
            for name, replicas in (("m-chief", 1), ("m-worker", 12), ("m-ps", 2), ("m-eval", 1))]


def test_graph():
    done = render("-f", "-", "--graph", "-n", "ml", "--cluster-domain", "x.org",
                  text=text_of(service(), *several(sparse="true")))
    assert (done.returncode, done.stderr) == (0, "")
    first, second, *_ = done.stdout.split("\n\n")
    assert first == """\
StatefulSet ml/m-chief: 1 pod
ROLE       INDEX  POD          ADDRESS
chief          0  m-chief-0    m-chief-0.hl.ml.svc.x.org:2222
worker         0  m-worker-0   m-worker-0.hl.ml.svc.x.org:2222
worker         1  m-worker-1   m-worker-1.hl.ml.svc.x.org:2222
worker         2  m-worker-2   m-worker-2.hl.ml.svc.x.org:2222
worker         3  m-worker-3   m-worker-3.hl.ml.svc.x.org:2222
worker         4  m-worker-4   m-worker-4.hl.ml.svc.x.org:2222
worker     … 2 more
worker         7  m-worker-7   m-worker-7.hl.ml.svc.x.org:2222
worker         8  m-worker-8   m-worker-8.hl.ml.svc.x.org:2222
worker         9  m-worker-9   m-worker-9.hl.ml.svc.x.org:2222
worker        10  m-worker-10  m-worker-10.hl.ml.svc.x.org:2222
worker        11  m-worker-11  m-worker-11.hl.ml.svc.x.org:2222
ps             0  m-ps-0       m-ps-0.hl.ml.svc.x.org:2222
ps             1  m-ps-1       m-ps-1.hl.ml.svc.x.org:2222
evaluator      0  m-eval-0     m-eval-0.hl.ml.svc.x.org:2222  (not in the others' cluster)
sparse: a worker sees the chief, every ps and itself"""
    assert second == "StatefulSet ml/m-worker: 12 pods\nIts group is the one above."


@pytest.mark.parametrize("arguments", [{}, {"address": "short", "port": "4000"}])
def test_the_graph_holds_the_addresses_of_the_values(arguments):
    sets = several(**arguments)
    done = render("-f", "-", "--graph", "--all", text=text_of(service(), *sets))
    rows = [line.split() for line in done.stdout.split("\n\n")[0].splitlines()[2:]]
    found = render_json(text_of(service(), *sets))
    cluster = json.loads(found[0]["pods"][0]["tfConfig"])["cluster"]
    cluster["evaluator"] = addresses(found[3]["pods"][0]["tfConfig"], "evaluator")
    assert [(role, int(index), address) for role, index, _, address, *_ in rows] == [
        (role, index, address) for role in ("chief", "worker", "ps", "evaluator")
        for index, address in enumerate(cluster[role])]
    assert all(address.startswith(pod + ".") for _, _, pod, address, *_ in rows)
    pods = {pod["name"]: (pod["role"], str(pod["index"])) for each in found for pod in each["pods"]}
    assert pods == {pod: (role, index) for role, index, pod, *_ in rows}


def test_the_graph_of_a_large_group():
    lines = render("-f", "-", "--graph", text=text_of(service(), stateful_set(replicas=2500))).stdout.splitlines()
    assert len(lines) == 13 and lines[7] == "worker  … 2,490 more"


def test_two_groups_have_two_graphs():
    sets = [stateful_set(name) for name in ("a", "b", "a")]
    done = render("-f", "-", "--graph", text=text_of(service(), *sets))
    assert done.stdout.count("ROLE") == 2 and done.stdout.count("Its group is the one above.") == 1
