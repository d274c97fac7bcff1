# SPDX-License-Identifier: Apache-2.0
"""StatefulSets as users write them, right and wrong, and the pods that the controller makes of them.

A strategy returns plain objects, as the API server sends them, so that a failing example can be pasted into a manifest.
Each shrinks towards a set of one worker with one container and nothing else.
"""

import copy
import re

from hypothesis import strategies as st

import oracle
from kubernetes_objects import GROUP, INJECT, POD_INDEX, PREFIX, ordinals_of

domains = st.sampled_from(["", "cluster.local", "k8s.example.org"])
namespaces = st.sampled_from(["ml", "team-a"])
set_names = st.sampled_from(["trainer", "a", "a-1", "m-0"]) | st.from_regex(r"[a-z]([-a-z0-9]{0,12}[a-z0-9])?",
                                                                           fullmatch=True)
service_names = st.sampled_from(["hl", "trainer", "peers-0"])

# Fields that no version of the webhook knows; they have to come through, numbers too big for a double among them.
unknown_fields = st.sampled_from([
    {},
    {"x-vendor": {"nested": [1, None, {"TF_CONFIG": "no"}], "name": "TF_CONFIG"}},
    {"Env": [{"name": "TF_CONFIG", "value": "another case"}], "NAME": "tensorflow"},
    {"big": 9007199254740993, "small": 1e-7, "tilde~slash/": "\u00e4\u4e2d\U0001f600"},
])

other_fields = st.sampled_from([
    {},
    {"status": {"replicas": 0}},
    {"x-vendor": {"name": [None]}},
    {"Metadata": {"annotations": {INJECT: "false"}, "name": "Other"}, "Spec": {"replicas": 9, "serviceName": "no"}},
])


# ---- the pod template ----


def env_entries():
    tf_config = st.sampled_from([
        {"name": "TF_CONFIG", "value": "{}"},
        {"name": "TF_CONFIG"},
        {"name": "TF_CONFIG", "valueFrom": {"configMapKeyRef": {"name": "tf", "key": "config"}}},
    ])
    other = st.sampled_from([
        {"name": "OMP_NUM_THREADS", "value": "1"},
        {"name": "POD_IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}},
        {"name": "COPY", "value": "$(TF_CONFIG)"},
        {"name": "tf_config", "value": "another case"},
        {"name": "TF_CONFIG_PATH", "value": "/etc/tf"},
    ])
    return st.lists(st.one_of(other, other, tf_config), max_size=4)


@st.composite
def containers(draw, name):
    container = {"name": name, "image": "registry.example.org/train:1"}
    env = draw(st.sampled_from(["absent", "null", "entries"]))
    if env != "absent":
        container["env"] = None if env == "null" else draw(env_entries())
    container.update(copy.deepcopy(draw(unknown_fields)))
    return container


@st.composite
def pod_specs(draw):
    names = ["tensorflow", "sidecar", "metrics"][:draw(st.integers(1, 3))]
    spec = {"containers": [draw(containers(name)) for name in names]}
    init = draw(st.sampled_from([None, "null", "empty", "one", "two"]))
    if init == "null":
        spec["initContainers"] = None
    elif init:
        names = {"empty": [], "one": ["fetch"], "two": ["fetch", "logs"]}[init]
        spec["initContainers"] = [draw(containers(name)) for name in names]
        if init == "two":
            spec["initContainers"][1]["restartPolicy"] = "Always"
    spec.update(draw(st.sampled_from([{}, {"hostNetwork": True}, {"dnsPolicy": "Default"},
                                      {"enableServiceLinks": False, "dnsPolicy": "ClusterFirst"},
                                      {"nodeSelector": {"gpu": "yes"}, "x-vendor": [1.5, {"a": None}]}])))
    return spec


@st.composite
def templates(draw):
    metadata = draw(st.sampled_from([
        None,
        {"labels": {"app": "trainer"}},
        {"labels": {"app": "trainer", INJECT: "true"}},
        {"labels": None, "annotations": None, "creationTimestamp": None},
        {"labels": {}, "annotations": {}},
        {"labels": {"app": "trainer"}, "annotations": {"prometheus.io/scrape": "true", "a~b/c": "x"}},
        {"annotations": {"sidecar.istio.io/inject": "true"}, "finalizers": ["example.org/hold"]},
        "absent",
    ]))
    template = {} if metadata == "absent" else {"metadata": copy.deepcopy(metadata)}
    return {**template, "spec": draw(pod_specs())}


# ---- the group ----


@st.composite
def role_counts(draw, at_most=6):
    """How many of each role, such that TensorFlow would start: no ps without a worker, no evaluator alone."""
    workers = draw(st.integers(0, 4))
    chief = draw(st.integers(0 if workers else 1, 1))
    ps = draw(st.integers(0, 2)) if workers else 0
    evaluator = draw(st.integers(0, 1))
    counts = {"worker": workers, "chief": chief, "ps": ps, "evaluator": evaluator}
    while sum(counts.values()) > at_most:
        role = max(counts, key=counts.get)
        counts[role] -= 1
    return {role: count for role, count in counts.items() if count}


@st.composite
def split(draw, counts):
    """The counts as entries (role, count) in any order, a role in two entries now and then."""
    entries = []
    for role, count in counts.items():
        if count > 1 and draw(st.booleans()):
            first = draw(st.integers(1, count - 1))
            entries += [(role, first), (role, count - first)]
        else:
            entries.append((role, count))
    return draw(st.permutations(entries))


@st.composite
def one_set_groups(draw, name, service):
    """(the text of `tfconfig.dev/cluster` or None, replicas) for a group of one set."""
    if draw(st.booleans()):
        return None, draw(st.integers(1, 5))
    counts = draw(role_counts())
    entries = draw(split(counts))
    rest = draw(st.none() | st.integers(0, len(entries) - 1))
    comma = draw(st.sampled_from([",", ", ", " ,", "  ,  "]))
    texts = []
    for i, (role, count) in enumerate(entries):
        owner = draw(st.sampled_from(["", "", f"={name}", f"={name}.{service}"]))
        texts.append(f"{role}{owner}:{'*' if i == rest else count}")
    if rest is None and draw(st.sampled_from([False, False, True])):  # a rest that comes out as no pod at all
        texts.insert(draw(st.integers(0, len(texts))), "worker:*")
    return comma.join(texts), sum(counts.values())


# ---- settings and the set ----


@st.composite
def settings(draw, set_spec, roles, several_sets=False):
    """Right values for a set of this spec, without prefix; a named port is added to its template."""
    spec = set_spec["template"]["spec"]
    values = {}
    choices = draw(st.sets(st.sampled_from(["port", "containers", "address", "overwrite", "sparse", "rpc-layer",
                                            "on-scale", "wait"])))
    everyone = spec["containers"] + (spec.get("initContainers") or [])
    if "port" in choices:
        values["port"] = draw(st.sampled_from(["2222", "1", "65535", "8080"]) | st.just("grpc"))
        if values["port"] == "grpc":
            if several_sets:
                values["port"] = "12345"
            else:
                of = draw(st.sampled_from(everyone))
                of["ports"] = [{"name": "grpc", "containerPort": 53, "protocol": "UDP"},
                               {"name": "http", "containerPort": 80},
                               draw(st.sampled_from([{"name": "grpc", "containerPort": 12345},
                                                     {"name": "grpc", "containerPort": 12345, "protocol": "TCP"}]))]
    if "containers" in choices:
        names = draw(st.lists(st.sampled_from([each["name"] for each in everyone]), min_size=1, unique=True))
        values["containers"] = draw(st.sampled_from([",", ", "])).join(names)
    if "address" in choices:
        values["address"] = draw(st.sampled_from(["fqdn", "short"]))
    if "overwrite" in choices:
        values["overwrite"] = draw(st.sampled_from(["false", "true"]))
    if "sparse" in choices:
        values["sparse"] = draw(st.sampled_from(["false", "true"])) if "ps" in roles else "false"
    if "rpc-layer" in choices:
        values["rpc-layer"] = "grpc"
    if "on-scale" in choices:
        values["on-scale"] = draw(st.sampled_from(["restart", "deny"]))
    if "wait" in choices:
        may_wait = set_spec.get("podManagementPolicy") == "Parallel"
        values["wait"] = draw(st.sampled_from(["false", "true"])) if may_wait else "false"
    return values


def annotate(stateful_set, place, name, value):
    """Sets a setting on the set itself ("set"), on its template ("template"), or on both."""
    for target in {"set": ["set"], "template": ["template"], "both": ["set", "template"]}[place]:
        owner = stateful_set if target == "set" else stateful_set["spec"]["template"]
        if not owner.get("metadata"):
            owner["metadata"] = {}
        if not owner["metadata"].get("annotations"):
            owner["metadata"]["annotations"] = {}
        owner["metadata"]["annotations"][PREFIX + name] = value


places = st.sampled_from(["set", "set", "template", "both"])


@st.composite
def unannotated_sets(draw, name=None, service=None, replicas=1, start=0):
    """A StatefulSet with no word about TF_CONFIG but, now and then, the label on its template."""
    metadata = {"name": name or draw(set_names), "namespace": draw(namespaces)}
    metadata.update(draw(st.sampled_from([{}, {"annotations": None}, {"annotations": {"example.org/note": "x"}},
                                          {"labels": {"app": "trainer"}, "managedFields": [{"manager": "kubectl"}]}])))
    spec = {"serviceName": service or draw(service_names), "replicas": replicas, "template": draw(templates()),
            "selector": {"matchLabels": {"app": "trainer"}}}
    if start or draw(st.booleans()):
        spec["ordinals"] = {"start": start}
    if draw(st.booleans()):
        spec["podManagementPolicy"] = draw(st.sampled_from(["Parallel", "OrderedReady"]))
    return {"kind": "StatefulSet", "apiVersion": "apps/v1", "metadata": copy.deepcopy(metadata), "spec": spec,
            **copy.deepcopy(draw(other_fields))}


@st.composite
def stateful_sets(draw, **fixed):
    """An opted-in set without a mistake, a group of its own."""
    name, service = draw(set_names), draw(service_names)
    text, replicas = draw(one_set_groups(name, service))
    stateful_set = draw(unannotated_sets(name=name, service=service, replicas=replicas,
                                         start=draw(st.sampled_from([0, 0, 5, 98]))))
    _opt_in(draw, stateful_set, text, {"ps"} if text and re.search(r"\bps[=:]", text) else set(), False, fixed)
    return stateful_set


def _opt_in(draw, stateful_set, text, roles, several_sets, fixed):
    values = {"inject": "true"}
    if text is not None:
        values["cluster"] = text
    values.update(draw(settings(stateful_set["spec"], roles, several_sets)))
    values.update(fixed)
    for key, value in values.items():
        annotate(stateful_set, draw(places), key, value)


@st.composite
def groups_of_sets(draw):
    """Two or three opted-in sets that carry the same line and the same settings, and so are one group."""
    names = draw(st.lists(set_names, min_size=2, max_size=3, unique=True))
    one_service = draw(st.booleans())
    services = {name: "hl" if one_service else draw(service_names) for name in names}
    entries = []
    for role, count in draw(split(draw(role_counts(at_most=9)))):
        entries.append((role, draw(st.sampled_from(names)), count))
    for name in names:  # each set has at least one pod
        if name not in [owner for _, owner, _ in entries]:
            entries.insert(draw(st.integers(0, len(entries))), ("worker", name, draw(st.integers(1, 2))))
    text = ",".join(f"{role}={owner}{'' if one_service and draw(st.booleans()) else '.' + services[owner]}:{count}"
                    for role, owner, count in entries)
    first = None
    sets = []
    for name in names:
        replicas = sum(count for _, owner, count in entries if owner == name)
        stateful_set = draw(unannotated_sets(name=name, service=services[name], replicas=replicas))
        if first is None:
            first = stateful_set
            values = {"inject": "true", "cluster": text}
            values.update(draw(settings(stateful_set["spec"], {role for role, _, _ in entries}, several_sets=True)))
            values.pop("containers", None)  # the sets' containers differ, and who may wait
            values.pop("wait", None)
        stateful_set["metadata"]["namespace"] = first["metadata"]["namespace"]
        for key, value in values.items():
            annotate(stateful_set, draw(places), key, value)
        sets.append(stateful_set)
    return sets


# ---- anything goes: the model has to say what is right ----

odd_values = {  # right ones first; what is right may depend on the template
    "inject": (["true", "true", "false"], ["True", "", "yes"]),
    "port": (["2222", "1", "65535"],
             ["0", "65536", "02222", "grpc", "-1", "22 22", "99999999999999999999", "0x10", ""]),
    "containers": (["tensorflow"], ["sidecar", "tensorflow,fetch", "", "nobody", "tensorflow,", "Tensorflow"]),
    "address": (["fqdn", "short"], ["FQDN", "ip", ""]),
    "overwrite": (["true", "false"], ["1", ""]),
    "sparse": (["false", "true"], ["TRUE"]),
    "rpc-layer": (["grpc"], ["http", "grpcs", ""]),
    "on-scale": (["restart", "deny"], ["ignore"]),
    "wait": (["false", "true"], ["no", ""]),
}
unknown_settings = ["Inject", "cluster-domain", "replicas", "role", "", "group2"]


@st.composite
def odd_settings(draw):
    """(name, value), right three times out of four."""
    name = draw(st.sampled_from(sorted(odd_values)))
    right, wrong = odd_values[name]
    return name, draw(st.sampled_from(wrong if draw(st.integers(0, 3)) == 3 else right))


@st.composite
def cluster_texts(draw):
    """Text that is nearly a group, and a group more often than not."""
    role = st.sampled_from(["worker", "worker", "chief", "ps", "evaluator", "master", "Worker", ""])
    owner = st.sampled_from(["", "", "", "", "=trainer", "=trainer.hl", "=trainer.other", "=other", "=other.hl",
                             "=", "=trainer.", "=Other", "=a.b.c"])
    count = st.sampled_from(["1", "2", "1", "2", "3", "*", "0", "01", "", "-1", "+1", "1.0", "99999", "100000", " 1"])
    one_set = st.sampled_from(["worker:1", "worker:2", "worker:*", "worker:1", "chief:1", "ps:1", "evaluator:1",
                               "worker=trainer:1", "worker=trainer.hl:2", "ps=trainer:2"])
    several = st.sampled_from(["worker=trainer:1", "worker=trainer:2", "worker=other:2", "chief=other.hl:1",
                               "worker=trainer.hl:2", "ps=trainer:1", "evaluator=other:1"])
    odd = st.builds("{}{}:{}".format, role, owner, count)
    entries = draw(st.lists(draw(st.sampled_from([one_set, one_set, several, st.one_of(one_set, several, odd)])),
                            min_size=1, max_size=4))
    return draw(st.sampled_from([",", ",", ",", ",", ",", ", ", " ,", ",,", ";"])).join(entries)


def own_pods(text):
    """How many pods the entries of `trainer` ask for, as near as a reader in a hurry would say."""
    counts = re.findall(r"\b(?:worker|chief|ps|evaluator)(?:=trainer[.a-z]*)?: ?(\d)\b", text)
    return sum(int(count) for count in counts)


@st.composite
def odd_sets(draw):
    """A set called `trainer` whose annotations say anything, right or wrong, in any place."""
    text = draw(st.none() | cluster_texts() | cluster_texts() | cluster_texts())
    replicas = own_pods(text) if text and draw(st.integers(0, 3)) else draw(st.integers(0, 4))
    stateful_set = draw(unannotated_sets(name="trainer", service="hl", replicas=replicas,
                                         start=draw(st.sampled_from([0, 0, 0, 5]))))
    if replicas == 1 and draw(st.booleans()):  # the API server's default
        stateful_set["spec"]["replicas"] = None
        if draw(st.booleans()):
            del stateful_set["spec"]["replicas"]
    if draw(st.sampled_from([True, True, True, False])):
        annotate(stateful_set, draw(places), "inject", "true")
    if text is not None:
        annotate(stateful_set, draw(places), "cluster", text)
    for name, value in draw(st.lists(odd_settings(), max_size=2)):
        annotate(stateful_set, draw(places), name, value)
    if draw(st.integers(0, 19)) == 19:
        annotate(stateful_set, draw(places), draw(st.sampled_from(unknown_settings)), "true")
    return stateful_set


# ---- shapes that no API server sends ----


@st.composite
def other_shapes(draw, obj):
    """The object with one value somewhere replaced by a value of any type, or left out."""
    obj = copy.deepcopy(obj)
    parent, key = draw(st.sampled_from(_places_of(obj)))
    value = draw(st.sampled_from([None, True, 0, -1, 1e99, "", "x", [], {}, [None], [[]], [{}], {"name": {}},
                                  "left out"]))
    if value == "left out":
        del parent[key]
    else:
        parent[key] = copy.deepcopy(value)
    return obj


def _places_of(value):
    """(container, key or index) of every value below a value."""
    children = list(value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else [])
    return [(value, key) for key, _ in children] + [place for _, child in children for place in _places_of(child)]


# ---- pods ----


def _owner(pod):
    return pod["metadata"]["ownerReferences"][0]


def _renamed(pod, name):
    pod["metadata"]["name"] = pod["spec"]["hostname"] = name


pod_mistakes = {
    "another set's pod": lambda pod: _renamed(pod, "b" + pod["metadata"]["name"]),
    "a leading zero": lambda pod: _renamed(pod, f"{_owner(pod)['name']}-0{pod['metadata']['labels'][POD_INDEX]}"),
    "a leading zero and no index label": lambda pod: _renamed(
        pod, f"{_owner(pod)['name']}-0{pod['metadata']['labels'].pop(POD_INDEX)}"),
    "no ordinal": lambda pod: _renamed(pod, _owner(pod)["name"] + "-"),
    "a sign": lambda pod: _renamed(pod, f"{_owner(pod)['name']}-+1"),
    "an ordinal beyond 64 bits": lambda pod: (_renamed(pod, _owner(pod)["name"] + "-18446744073709551616"),
                                              pod["metadata"]["labels"].pop(POD_INDEX)),
    "no name": lambda pod: pod["metadata"].pop("name"),
    "another index in the label": lambda pod: pod["metadata"]["labels"].update({POD_INDEX: "77"}),
    "an index that is no number": lambda pod: pod["metadata"]["labels"].update({POD_INDEX: ""}),
    "another subdomain": lambda pod: pod["spec"].update(subdomain="elsewhere"),
    "no subdomain": lambda pod: pod["spec"].pop("subdomain"),
    "a Job's pod": lambda pod: _owner(pod).update(apiVersion="batch/v1", kind="Job"),
    "a ReplicaSet's pod": lambda pod: _owner(pod).update(kind="ReplicaSet"),
    "another group's StatefulSet": lambda pod: _owner(pod).update(apiVersion="apps.kruise.io/v1beta1"),
    "no stamp": lambda pod: pod["metadata"]["annotations"].pop(GROUP),
    "half a stamp": lambda pod: pod["metadata"]["annotations"].update(
        {GROUP: pod["metadata"]["annotations"][GROUP][:len(pod["metadata"]["annotations"][GROUP]) // 2]}),
    "a stamp and more": lambda pod: pod["metadata"]["annotations"].update(
        {GROUP: pod["metadata"]["annotations"][GROUP] + "x"}),
    "an empty stamp": lambda pod: pod["metadata"]["annotations"].update({GROUP: ""}),
    "an empty object as stamp": lambda pod: pod["metadata"]["annotations"].update({GROUP: "{}"}),
    "null as stamp": lambda pod: pod["metadata"]["annotations"].update({GROUP: "null"}),
    "a list as stamp": lambda pod: pod["metadata"]["annotations"].update({GROUP: "[]"}),
}

pods_that_are_not_ours = {
    "no label": lambda pod: pod["metadata"]["labels"].pop(INJECT),
    "another value of the label": lambda pod: pod["metadata"]["labels"].update({INJECT: "false"}),
    "no controller": lambda pod: _owner(pod).pop("controller"),
    "no owner": lambda pod: pod["metadata"].pop("ownerReferences"),
    "null as owners": lambda pod: pod["metadata"].update(ownerReferences=None),
    "being deleted": lambda pod: pod["metadata"].update(deletionTimestamp="2026-11-30T03:24:18Z"),
    "a mirror pod": lambda pod: pod["metadata"]["annotations"].update({"kubernetes.io/config.mirror": "0"}),
}


@st.composite
def ordinals(draw, stateful_set):
    return draw(st.sampled_from(list(ordinals_of(stateful_set))))


# ---- mistakes that have to be denied, one at a time ----


def _set(**values):
    def mistake(stateful_set):
        for name, value in values.items():
            annotate(stateful_set, "set", name.replace("_", "-"), value)
            of_template = oracle.template_metadata(stateful_set).get("annotations") or {}
            of_template.pop(PREFIX + name.replace("_", "-"), None)
    return mistake


def _twice(stateful_set):
    annotate(stateful_set, "set", "address", "fqdn")
    annotate(stateful_set, "template", "address", "short")


def _udp_port(stateful_set):
    spec = stateful_set["spec"]["template"]["spec"]
    for container in spec["containers"] + (spec.get("initContainers") or []):
        container["ports"] = [{"name": "grpc", "containerPort": 2222, "protocol": "UDP"}]
    _set(port="grpc")(stateful_set)


def _several(text, **more):
    def mistake(stateful_set):
        name, service, n = (stateful_set["metadata"]["name"], stateful_set["spec"]["serviceName"],
                            stateful_set["spec"]["replicas"])
        if more.get("start", 0) == 0:
            stateful_set["spec"].pop("ordinals", None)
        else:
            stateful_set["spec"]["ordinals"] = {"start": more["start"]}
        _set(cluster=text.format(name=name, service=service, n=n), sparse="false",
             port=more.get("port", "2222"))(stateful_set)
        if more.get("port"):
            stateful_set["spec"]["template"]["spec"]["containers"][0]["ports"] = [
                {"name": more["port"], "containerPort": 2222}]
    return mistake


def _counted(text):
    def mistake(stateful_set):
        n = stateful_set["spec"]["replicas"]
        _set(cluster=text.format(n=n, more=n + 1), sparse="false")(stateful_set)
    return mistake


mistakes = {
    "no service": lambda s: s["spec"].pop("serviceName"),
    "an empty service": lambda s: s["spec"].update(serviceName=""),
    "a name with a dot": lambda s: s["metadata"].update(name="a.b"),
    "our label in the selector": lambda s: s["spec"].update(selector={"matchLabels": {INJECT: "true"}}),
    "our label in the selector's expressions": lambda s: s["spec"].update(
        selector={"matchExpressions": [{"key": INJECT, "operator": "Exists"}]}),
    "an unknown annotation": _set(ports="2222"),
    "a stamp on the set": _set(group="{}"),
    "an unknown annotation on the template": lambda s: annotate(s, "template", "clusters", "worker:1"),
    "two values": _twice,
    "inject: yes": _set(inject="yes"),
    "inject: True": _set(inject="True"),
    "port 0": _set(port="0"),
    "port 65536": _set(port="65536"),
    "port beyond 64 bits": _set(port="18446744073709553838"),
    "no port of that name": _set(port="no-such"),
    "no port": _set(port=""),
    "a UDP port's name": _udp_port,
    "no such container": _set(containers="tensorflow,nobody"),
    "no container": _set(containers=""),
    "an empty container name": _set(containers="tensorflow,,tensorflow"),
    "address": _set(address="FQDN"),
    "overwrite": _set(overwrite="yes"),
    "sparse": _set(sparse="1"),
    "rpc-layer": _set(rpc_layer="http"),
    "on-scale": _set(on_scale="never"),
    "wait": _set(wait="yes"),
    "waiting, one pod after the other": lambda s: (_set(wait="true")(s),
                                                   s["spec"].update(podManagementPolicy="OrderedReady")),
    "waiting, one pod after the other by default": lambda s: (_set(wait="true")(s),
                                                              s["spec"].pop("podManagementPolicy", None)),
    "waiting beside a container of the name": lambda s: (
        _set(wait="true")(s), s["spec"].update(podManagementPolicy="Parallel"),
        s["spec"]["template"]["spec"]["containers"].append({"name": "tfconfig-wait"})),
    "sparse without a ps": lambda s: (_counted("worker:{n}")(s), _set(sparse="true")(s)),
    "no group": _set(cluster=""),
    "a role of old": _counted("master:{n}"),
    "an upper-case role": _counted("Worker:{n}"),
    "an upper-case role beside": _counted("worker:{n},Chief:1"),
    "a leading zero": _counted("worker:0{n}"),
    "a count of 0": _counted("worker:{n},ps:0"),
    "a count over 99999": _counted("worker:100000"),
    "a count beyond 64 bits": _counted("worker:1844674407370955161{n}"),
    "a comma at the end": _counted("worker:{n},"),
    "a comma at the start": _counted(",worker:{n}"),
    "a comma too many": _counted("worker:{n},,chief:1"),
    "no colon": _counted("worker"),
    "one worker more than replicas": _counted("worker:{more}"),
    "two rests": _counted("chief:*,worker:*"),
    "two chiefs": _counted("chief:1,chief:1,worker:*"),
    "two evaluators": _counted("evaluator:2,worker:*"),
    "ps alone": _counted("ps:{n}"),
    "an evaluator alone": lambda s: (_counted("evaluator:1")(s), s["spec"].update(replicas=1)),
    "an evaluator and a rest of none": lambda s: (_counted("evaluator:1,worker:*")(s), s["spec"].update(replicas=1)),
    "ps and a rest of none": _counted("ps:{n},worker:*"),
    "not all entries name a set": _several("worker=other:2,chief:1"),
    "the own set is not among them": _several("worker=zz-other:2,chief=zz-another:1"),
    "the rest with several sets": _several("worker={name}:*,chief=zz-other:1"),
    "ordinals that start elsewhere": _several("worker={name}:{n},chief=zz-other:1", start=3),
    "another service for the own set": _several("worker={name}.zz-service:{n},chief=zz-other:1"),
    "a port's name with several sets": _several("worker={name}:{n},chief=zz-other:1", port="grpc"),
    "the own counts with several sets": _several("worker={name}:{n},chief=zz-other:1,ps={name}:1"),
    "too long a group": _several("worker={name}:{n},ps=zz-other:9000,chief=zz-another:1"),
}
