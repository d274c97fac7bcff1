# SPDX-License-Identifier: Apache-2.0
"""What people and tools do to a stored StatefulSet: each change takes the object and edits it in place."""

import oracle
from kubernetes_objects import GROUP, INJECT, PREFIX, RESTARTED_AT


def without_stamps(stateful_set):
    """As an owner of the whole template writes it, by server-side apply for instance."""
    stateful_set["spec"]["template"] = oracle.bare_template(stateful_set)


def edit_stamp(stateful_set):
    _template_map(stateful_set, "annotations")[GROUP] = '{"edited":"by hand"}'


def restart(stateful_set, time="2026-11-30T03:24:18Z"):
    _template_map(stateful_set, "annotations")[RESTARTED_AT] = time


def opt_out(stateful_set, value=None):
    """The annotation goes, or says another value, wherever it stands."""
    for owner in (stateful_set, stateful_set["spec"]["template"]):
        annotations = (owner.get("metadata") or {}).get("annotations") or {}
        if annotations.pop(INJECT, None) and value:
            annotations[INJECT] = value


def annotated(name, value):
    def change(stateful_set):
        metadata = stateful_set["metadata"]
        metadata["annotations"] = {**(metadata.get("annotations") or {}), PREFIX + name: value}
    return change


def say_a_default(stateful_set):
    """One that nobody has said so far: the set passes stage 1 in full, and its group stays."""
    said = [owner.get("annotations") or {} for owner in (stateful_set["metadata"],
                                                          oracle.template_metadata(stateful_set))]
    for name, value in {"port": "2222", "address": "fqdn", "overwrite": "false", "sparse": "false", "wait": "false",
                        "on-scale": "restart"}.items():
        if not any(PREFIX + name in annotations for annotations in said):
            return annotated(name, value)(stateful_set)


def _template_map(stateful_set, kind):
    """A map of the template's metadata, made where it is missing or null."""
    template = stateful_set["spec"]["template"]
    template["metadata"] = template.get("metadata") or {}
    template["metadata"][kind] = template["metadata"].get(kind) or {}
    return template["metadata"][kind]


def _put(*path, value):
    def change(stateful_set):
        owner = stateful_set
        for key in path[:-1]:
            owner = owner.setdefault(key, {})
        owner[path[-1]] = value
    return change


irrelevant = {
    "nothing": lambda s: None,
    "a label of the set": _put("metadata", "labels", value={"team": "vision"}),
    "another's annotation": lambda s: s["metadata"].update(
        annotations={**(s["metadata"].get("annotations") or {}), "example.org/note": "changed"}),
    "the default of the first ordinal": lambda s: s["spec"].update(ordinals=s["spec"].get("ordinals") or {"start": 0}),
    "a partition": _put("spec", "updateStrategy", value={"rollingUpdate": {"partition": 1}}),
    "a status": _put("status", value={"replicas": 7}),
    "a stamp edited by hand": edit_stamp,
    "the stamps left out": without_stamps,
    "the label taken away": lambda s: _template_map(s, "labels").pop(INJECT, None),
}

relevant = {
    "restart": restart,
    "another node": _put("spec", "template", "spec", "nodeName", value="n1"),
    "one replica": _put("spec", "replicas", value=1),
    "six replicas": _put("spec", "replicas", value=6),
    "no replicas": _put("spec", "replicas", value=0),
    "another service": _put("spec", "serviceName", value="elsewhere"),
    "another first ordinal": _put("spec", "ordinals", value={"start": 31}),
    "the default port said": annotated("port", "2222"),
    "another port": annotated("port", "777"),
    "a wrong port": annotated("port", "x"),
    "short addresses": annotated("address", "short"),
    "on-scale": annotated("on-scale", "deny"),
    "the default of overwrite said": annotated("overwrite", "false"),
    "waiting": annotated("wait", "true"),
    "not waiting": annotated("wait", "false"),
    "a cluster for any size": annotated("cluster", "worker:*"),
    "opted out": opt_out,
    "opted out by false": lambda s: opt_out(s, "false"),
}
