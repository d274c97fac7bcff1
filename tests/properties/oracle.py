# SPDX-License-Identifier: Apache-2.0
"""A second, plain model of what the webhook has to decide, written from the contract and not from the program.

It knows decisions (allowed, denied, and what happens to the stamps) and values (role, index, TF_CONFIG), and says them
in the most direct way there is, without a thought of speed. Messages and the encoding of the stamp are left out: the
stamp is opaque, so a caller remembers which Group the program's own bytes stand for.
"""

import copy
import dataclasses
import enum
import json
import re

from kubernetes_objects import GROUP, INDEX, INJECT, POD_INDEX, PREFIX, ROLE, ordinals_of

ROLES = ("chief", "worker", "ps", "evaluator")  # also their order in the value
SETTINGS = ("inject", "cluster", "port", "containers", "address", "overwrite", "sparse", "rpc-layer", "on-scale",
            "wait")
WAIT_CONTAINER = "tfconfig-wait"
WAIT_IMAGE = "registry.example.org/tfconfig-webhook:1"  # what the webhook is told, in all tests but a few
VALUE_MAX = 131_061  # Linux: 131,072 for "TF_CONFIG=<value>" and its NUL

DNS_LABEL = r"[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?"
ENTRY = re.compile(rf"(chief|worker|ps|evaluator)(?:=({DNS_LABEL})(?:\.({DNS_LABEL}))?)?:(\*|[1-9][0-9]{{0,4}})")


class Denied(Exception):
    """The webhook has to deny; the text is for the reader of a failing test and compared with nothing."""


class Unsettled(Exception):
    """The contract can be read in two ways here: nothing is expected but a well-formed answer."""


@dataclasses.dataclass(frozen=True)
class Entry:
    """One entry of `tfconfig.dev/cluster`, everything resolved."""

    role: str
    set: str
    service: str
    count: int


@dataclasses.dataclass(frozen=True)
class Task:
    """One pod's place in the group."""

    role: str
    index: int
    set: str
    service: str
    ordinal: int


@dataclasses.dataclass(frozen=True)
class Group:
    """What a stamp stands for: all that decides about a pod's TF_CONFIG, and about where it is put."""

    own_set: str
    service: str  # of the own set
    namespace: str
    start: int  # the own set's first ordinal
    entries: tuple
    follows_replicas: bool  # a group whose rest is the chief or the evaluator cannot: there is one of them at most
    port: int
    address: str
    domain: str
    containers: tuple  # None: all of the pod's `containers`
    overwrite: bool
    sparse: bool
    rpc_layer: str  # None: not asked for
    wait: bool

    def says_the_same_as(self, other):
        """The cluster domain alone is no reason to roll a set."""
        return other is not None and dataclasses.replace(self, domain="") == dataclasses.replace(other, domain="")

    def tasks(self):
        """Ordinals are dealt out per set, indexes per role, both in the order written."""
        next_ordinal, next_index, tasks = {self.own_set: self.start}, {}, []
        for entry in self.entries:
            for _ in range(entry.count):
                ordinal, index = next_ordinal.get(entry.set, 0), next_index.get(entry.role, 0)
                tasks.append(Task(entry.role, index, entry.set, entry.service, ordinal))
                next_ordinal[entry.set], next_index[entry.role] = ordinal + 1, index + 1
        return tasks

    def own_tasks(self):
        return [task for task in self.tasks() if task.set == self.own_set]

    def host(self, task):
        host = f"{task.set}-{task.ordinal}.{task.service}"
        if self.address == "fqdn":
            host += f".{self.namespace}.svc" + (f".{self.domain}" if self.domain else "")
        return host

    def value(self, ordinal):
        """(role, index, TF_CONFIG) of the own set's pod with this ordinal."""
        own = next((task for task in self.own_tasks() if task.ordinal == ordinal), None)
        if own is None:
            raise Denied(f"ordinal {ordinal} is outside the group")
        return own.role, own.index, self.value_of(own)

    def value_of(self, own):
        addresses = {role: [] for role in ROLES}
        for task in self.tasks():
            addresses[task.role].append(f"{self.host(task)}:{self.port}")
        cluster = {role: hosts for role, hosts in addresses.items() if hosts and role != "evaluator"}
        if own.role == "evaluator":
            cluster["evaluator"] = [f"{self.host(own)}:{self.port}"]
        if self.sparse and own.role == "worker":
            cluster["worker"] = {str(own.index): f"{self.host(own)}:{self.port}"}
        value = {"cluster": cluster, "task": {"type": own.role, "index": own.index}}
        if self.rpc_layer:
            value["rpc_layer"] = self.rpc_layer
        return json.dumps(value, separators=(",", ":"))


# ---- stage 1: the StatefulSet ----


class Stamps(enum.Enum):
    """What becomes of label and stamp of the pod template."""

    UNTOUCHED = "the object is none of ours"
    OLD = "both as the old object has them, with or without"
    KEPT = "the label put, the old object's stamp kept byte for byte"
    FRESH = "the label put, a stamp made from this object"
    LABEL_ALONE = "the label put, and no stamp"
    AWAY = "neither label nor stamp"


@dataclasses.dataclass(frozen=True)
class Verdict:
    """An allowed StatefulSet: what happens to the stamps, and the group that its stamp says afterwards."""

    stamps: Stamps
    group: Group = None


def template_metadata(stateful_set):
    return stateful_set["spec"]["template"].get("metadata") or {}


def stamp_of(stateful_set):
    return (template_metadata(stateful_set).get("annotations") or {}).get(GROUP)


def label_of(stateful_set):
    return (template_metadata(stateful_set).get("labels") or {}).get(INJECT)


def replicas_of(stateful_set):
    return len(ordinals_of(stateful_set))


def first_ordinal(stateful_set):
    return (stateful_set["spec"].get("ordinals") or {}).get("start") or 0


def bare_template(stateful_set):
    """The template without our stamps; a map that is missing, null or empty is the same."""
    template = copy.deepcopy(stateful_set["spec"]["template"])
    metadata = template.pop("metadata", None) or {}
    for kind, key in (("labels", INJECT), ("annotations", GROUP)):
        entries = {name: value for name, value in (metadata.pop(kind, None) or {}).items() if name != key}
        if entries:
            metadata[kind] = entries
    if metadata:
        template["metadata"] = metadata
    return template


def _what_matters(stateful_set):
    annotations = stateful_set["metadata"].get("annotations") or {}
    spec = stateful_set["spec"]
    return (bare_template(stateful_set), replicas_of(stateful_set), first_ordinal(stateful_set),
            spec.get("serviceName"),
            {key: value for key, value in annotations.items() if key.startswith(PREFIX)})


def _annotations(stateful_set):
    """The settings as written, from both places, without the prefix."""
    own = stateful_set["metadata"].get("annotations") or {}
    of_template = dict(template_metadata(stateful_set).get("annotations") or {})
    of_template.pop(GROUP, None)  # ours, where it stands on the template
    settings = {}
    for place in (own, of_template):
        for key, value in place.items():
            if not key.startswith(PREFIX):
                continue
            name = key[len(PREFIX):]
            if name not in SETTINGS:
                raise Denied(f"unknown annotation {key}")
            if settings.setdefault(name, value) != value:
                raise Denied(f"{key} is not the same in both places")
    for name, allowed in (("inject", ("true", "false")), ("address", ("fqdn", "short")),
                          ("overwrite", ("true", "false")), ("sparse", ("true", "false")), ("rpc-layer", ("grpc",)),
                          ("on-scale", ("restart", "deny")), ("wait", ("true", "false"))):
        if name in settings and settings[name] not in allowed:
            raise Denied(f"{name}: {settings[name]!r}")
    return settings


def _list(text):
    """The entries of a comma list: blanks around commas do not count, an empty entry is a mistake."""
    entries = [entry.strip(" ") for entry in text.split(",")]
    if "" in entries:
        raise Denied(f"empty entry in {text!r}")
    return entries


def _containers(stateful_set, settings):
    if "containers" not in settings:
        return None
    names = _list(settings["containers"])
    spec = stateful_set["spec"]["template"]["spec"]
    there = [c["name"] for c in (spec.get("containers") or []) + (spec.get("initContainers") or [])]
    for name in names:
        if name not in there:
            raise Denied(f"no container {name}")
    return tuple(names)


def _port(stateful_set, settings, several_sets):
    text = settings.get("port", "2222")
    if re.fullmatch("[0-9]+", text):
        if text.startswith("0") or int(text) > 65535:
            raise Denied(f"port {text}")
        return int(text)
    if several_sets:
        raise Denied("a port's name means something in one set alone")
    spec = stateful_set["spec"]["template"]["spec"]
    for container in (spec.get("containers") or []) + (spec.get("initContainers") or []):
        for port in container.get("ports") or []:
            if port.get("name") == text and port.get("protocol", "TCP") == "TCP":
                return port["containerPort"]
    raise Denied(f"no port named {text!r}")


def _parse_cluster(text):
    """The entries as written: (role, set or None, service or None, count or None for the rest of the replicas)."""
    entries = []
    for entry in _list(text):
        match = ENTRY.fullmatch(entry)
        if not match:
            raise Denied(f"no entry of a group: {entry!r}")
        role, set_name, service, count = match.groups()
        entries.append((role, set_name, service, None if count == "*" else int(count)))
    if [count for *_, count in entries].count(None) > 1:
        raise Denied("the rest of the replicas twice")
    return entries


def _merged(entries):
    """Neighbours that deal the same role to the same set are one entry, and an entry of none is none: two lines that
    mean the same to every pod are the same group."""
    merged = []
    for entry in entries:
        if entry.count == 0:
            continue
        last = merged[-1] if merged else None
        if last and dataclasses.replace(last, count=0) == dataclasses.replace(entry, count=0):
            merged[-1] = dataclasses.replace(last, count=last.count + entry.count)
        else:
            merged.append(entry)
    return tuple(merged)


def compile_group(stateful_set, namespace, domain):
    """The group of an opted-in set that has replicas; raises Denied for every mistake."""
    settings = _annotations(stateful_set)
    name, spec = stateful_set["metadata"].get("name", ""), stateful_set["spec"]
    replicas, service = replicas_of(stateful_set), spec.get("serviceName")
    start = first_ordinal(stateful_set)
    if settings.get("wait") == "true":
        _check_wait(spec)
    if not re.fullmatch(DNS_LABEL, name):
        raise Denied("the set's name is no DNS label")
    if not service:
        raise Denied("no serviceName: the peers have no names")
    selector = spec.get("selector") or {}
    if INJECT in (selector.get("matchLabels") or {}) or any(
            each.get("key") == INJECT for each in selector.get("matchExpressions") or []):
        raise Denied("the selector holds our label")

    written = _parse_cluster(settings.get("cluster", "worker:*"))
    several_sets = any(set_name not in (None, name) for _, set_name, _, _ in written)
    if several_sets:
        if any(set_name is None for _, set_name, _, _ in written):
            raise Denied("with several sets each entry names its set")
        if name not in [set_name for _, set_name, _, _ in written]:
            raise Denied("the own set is not in its group")
        if start != 0:
            raise Denied("with several sets the ordinals start at 0")
        if any(count is None for *_, count in written):
            raise Denied("the rest of the replicas is for one set")
        services = {}
        for _, set_name, its_service, _ in written:
            services.setdefault(set_name, set()).add(its_service or service)
        if any(len(each) > 1 for set_name, each in services.items() if set_name != name):
            raise Unsettled("another set with two services")
    for _, set_name, its_service, _ in written:
        if set_name == name and its_service not in (None, service):
            raise Denied("the own set's service is another one")

    fixed = sum(count for _, set_name, _, count in written if set_name in (None, name) and count is not None)
    rest = replicas - fixed
    takes_the_rest = [role for role, *_, count in written if count is None]
    if rest < 0 or (rest > 0 and not takes_the_rest):
        raise Denied(f"the own counts are {fixed}, the replicas {replicas}")
    entries = _merged(Entry(role, set_name or name, its_service or service, rest if count is None else count)
                      for role, set_name, its_service, count in written)

    totals = {role: sum(entry.count for entry in entries if entry.role == role) for role in ROLES}
    if totals["chief"] > 1 or totals["evaluator"] > 1:
        raise Denied("two chiefs or two evaluators")
    if totals["ps"] and not totals["worker"]:
        raise Denied("ps without a worker")
    if totals["evaluator"] and not (totals["chief"] or totals["worker"] or totals["ps"]):
        raise Denied("an evaluator alone")
    sparse = settings.get("sparse") == "true"
    if sparse and not totals["ps"]:
        raise Denied("sparse without a ps")

    group = Group(
        own_set=name, service=service, namespace=namespace, start=start, entries=entries,
        follows_replicas=takes_the_rest in (["worker"], ["ps"]), port=_port(stateful_set, settings, several_sets),
        address=settings.get("address", "fqdn"), domain=domain, containers=_containers(stateful_set, settings),
        overwrite=settings.get("overwrite") == "true", sparse=sparse, rpc_layer=settings.get("rpc-layer"),
        wait=settings.get("wait") == "true")
    last_of_role = {task.role: task for task in group.own_tasks()}
    if any(len(group.value_of(task)) > VALUE_MAX for task in last_of_role.values()):
        raise Denied("the value is longer than the environment takes")
    return group


def _check_wait(spec):
    """There is an image: a webhook without one is the matter of a test of its own."""
    if spec.get("podManagementPolicy", "OrderedReady") == "OrderedReady":
        raise Denied("the first pod would wait for those that wait for it")
    pods = spec["template"]["spec"]
    if WAIT_CONTAINER in [c["name"] for c in (pods.get("containers") or []) + (pods.get("initContainers") or [])]:
        raise Denied("the name of the init container that waits is taken")


def decide(stateful_set, old, operation, namespace, domain, old_group=None):
    """The Verdict on a StatefulSet; raises Denied. `old_group` is what the old object's stamp says, None where it has
    none that can be read."""
    if operation not in ("CREATE", "UPDATE") or stateful_set["metadata"].get("deletionTimestamp"):
        return Verdict(Stamps.UNTOUCHED)
    if operation == "UPDATE" and _what_matters(stateful_set) == _what_matters(old):
        return Verdict(Stamps.OLD, old_group)

    settings = _annotations(stateful_set)
    if settings.get("inject") != "true":
        _check_without_inject(stateful_set, namespace, domain)
        if operation == "UPDATE":
            return Verdict(Stamps.AWAY)
        if label_of(stateful_set) is not None:
            if settings.get("inject") == "false" or label_of(stateful_set) != "true":
                raise Unsettled("our label beside inject: false, or with another value")
            raise Denied("our label without the annotation")
        return Verdict(Stamps.UNTOUCHED)

    has_old_stamp = operation == "UPDATE" and stamp_of(old) is not None
    if replicas_of(stateful_set) == 0:
        _check_without_replicas(stateful_set, namespace, domain)
        if has_old_stamp:
            return Verdict(Stamps.KEPT, old_group)
        if operation == "CREATE" and stamp_of(stateful_set) is not None:
            raise Unsettled("a stamp of the user's own on a new set without replicas")
        return Verdict(Stamps.LABEL_ALONE)

    group = compile_group(stateful_set, namespace, domain)
    if has_old_stamp and group.says_the_same_as(old_group) and bare_template(stateful_set) == bare_template(old):
        return Verdict(Stamps.KEPT, old_group)
    return Verdict(Stamps.FRESH, group)


def _check_without_inject(stateful_set, namespace, domain):
    """Settings beside no inject are checked all the same; how far the check goes is open where more is wrong."""
    settings = _annotations(stateful_set)
    if set(settings) - {"inject"}:
        _or_unsettled(stateful_set, namespace, domain, "settings that would be denied, but nothing is injected")


def _check_without_replicas(stateful_set, namespace, domain):
    """Any group will do for no replicas; that what is no group at all will do, nobody says."""
    as_if = copy.deepcopy(stateful_set)
    _annotations(as_if)
    as_if["spec"]["replicas"] = 1
    _or_unsettled(as_if, namespace, domain, "a mistake beside no replicas", cluster="worker:*", sparse="false")
    try:
        _parse_cluster(_annotations(stateful_set).get("cluster", "worker:*"))
    except Denied as reason:
        raise Unsettled(f"no group, beside no replicas: {reason}") from reason


def _or_unsettled(stateful_set, namespace, domain, why, **replaced):
    as_if = copy.deepcopy(stateful_set)
    for place in (as_if["metadata"], as_if["spec"]["template"].get("metadata") or {}):
        for name, value in replaced.items():
            if PREFIX + name in (place.get("annotations") or {}):
                place["annotations"][PREFIX + name] = value
    try:
        compile_group(as_if, namespace, domain)
    except Denied as reason:
        raise Unsettled(f"{why}: {reason}") from reason


def stamped(stateful_set, old, verdict, stamp):
    """The object that has to leave stage 1; `stamp` stands for the bytes of a fresh stamp."""
    label, annotation = {
        Stamps.UNTOUCHED: lambda: (label_of(stateful_set), stamp_of(stateful_set)),
        Stamps.OLD: lambda: (label_of(old), stamp_of(old)),
        Stamps.KEPT: lambda: ("true", stamp_of(old)),
        Stamps.FRESH: lambda: ("true", stamp),
        Stamps.LABEL_ALONE: lambda: ("true", None),
        Stamps.AWAY: lambda: (None, None),
    }[verdict.stamps]()
    result = copy.deepcopy(stateful_set)
    template = result["spec"]["template"] = bare_template(stateful_set)
    for kind, key, value in (("labels", INJECT, label), ("annotations", GROUP, annotation)):
        if value is not None:
            template.setdefault("metadata", {}).setdefault(kind, {})[key] = value
    return result


def tidy(stateful_set):
    """The object with missing, null and empty maps of the template's metadata made the same, for comparisons."""
    return stamped(stateful_set, None, Verdict(Stamps.UNTOUCHED), None)


# ---- stage 2: the pod ----


def is_ours(pod):
    metadata = pod["metadata"]
    return ((metadata.get("labels") or {}).get(INJECT) == "true" and not metadata.get("deletionTimestamp")
            and "kubernetes.io/config.mirror" not in (metadata.get("annotations") or {}))


def ordinal_of(pod, owner):
    """The ordinal in a pod's name, in agreement with the label where that is there."""
    match = re.fullmatch(re.escape(owner) + "-(0|[1-9][0-9]*)", pod["metadata"].get("name") or "")
    if not match:
        raise Denied("the pod's name is not its owner's and an ordinal")
    if (pod["metadata"].get("labels") or {}).get(POD_INDEX, match[1]) != match[1]:
        raise Denied("the pod's index label says another ordinal")
    return int(match[1])


def decide_pod(pod, group):
    """The pod after stage 2 and its (role, index, value), or (the same pod, None); raises Denied. `group` is what the
    pod's stamp says, None where it has none that can be read."""
    if not is_ours(pod):
        return pod, None
    controller = next((each for each in pod["metadata"].get("ownerReferences") or [] if each.get("controller")), None)
    if controller is None:
        return pod, None
    if controller["kind"] != "StatefulSet" or controller["apiVersion"].partition("/")[0] != "apps":
        raise Denied(f"a {controller['kind']} controls the pod")
    if group is None:
        raise Denied("no stamp, or none that can be read")
    if controller["name"] != group.own_set:
        raise Denied("the stamp is another set's")
    if pod["spec"].get("subdomain") != group.service:
        raise Denied("the pod's subdomain is not the stamp's service")
    role, index, value = group.value(ordinal_of(pod, controller["name"]))
    result = _with_value(pod, group, role, index, value)
    if group.wait:
        _add_wait(result["spec"], value)
    return result, (role, index, value)


def _add_wait(spec, value):
    """Last among the init containers; where it is already, it stays, and has the value."""
    if not spec.get("initContainers"):
        spec["initContainers"] = []
    ours = {"name": "TF_CONFIG", "value": value}
    there = next((each for each in spec["initContainers"] if each["name"] == WAIT_CONTAINER), None)
    if there:
        assert [entry for entry in there["env"] if entry["name"] == "TF_CONFIG"] == [ours]
        return
    amounts = {"cpu": "100m", "memory": "16Mi"}
    spec["initContainers"].append({
        "name": WAIT_CONTAINER, "image": WAIT_IMAGE, "imagePullPolicy": "IfNotPresent", "args": ["wait"], "env": [ours],
        "resources": {"requests": amounts, "limits": amounts},
        "securityContext": {
            "allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}, "readOnlyRootFilesystem": True,
            "runAsGroup": 65532, "runAsNonRoot": True, "runAsUser": 65532,
            "seccompProfile": {"type": "RuntimeDefault"}},
        "terminationMessagePolicy": "FallbackToLogsOnError"})


def _with_value(pod, group, role, index, value):
    result = copy.deepcopy(pod)
    spec = result["spec"]
    containers, init_containers = spec.get("containers") or [], spec.get("initContainers") or []
    targets = containers
    if group.containers is not None:
        targets = [each for each in containers + init_containers if each["name"] in group.containers]
        if {each["name"] for each in targets} != set(group.containers):
            raise Denied("a container of the stamp is not there")
    for container in targets:
        env = container.get("env") or []
        there = [entry for entry in env if entry.get("name") == "TF_CONFIG"]
        ours = {"name": "TF_CONFIG", "value": value}
        if not there:
            container["env"] = [ours] + env
        elif group.overwrite:
            last = max(i for i, entry in enumerate(env) if entry.get("name") == "TF_CONFIG")
            container["env"] = ([entry for entry in env[:last] if entry.get("name") != "TF_CONFIG"] + [ours]
                                + env[last + 1:])
    result["metadata"]["labels"].update({ROLE: role, INDEX: str(index)})
    return result
